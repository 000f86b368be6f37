// The tiles of a file: each byte is read once and written once, and a page goes to the disk when it
// is whole.
#include "run/band_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

namespace xpose::app {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

struct Case {
  const char* name;
  FileMatrix matrix;
  TileLimits limits;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class BandPlanTest : public testing::TestWithParam<Case> {
 protected:
  const FileMatrix& matrix() const { return GetParam().matrix; }

  // Behind the last one, with which it is one range where it begins at its end.
  static void append(std::vector<ByteRange>& ranges, const ByteRange& range) {
    if (!ranges.empty() && ranges.back().end == range.begin && range.end > range.begin)
      ranges.back().end = range.end;
    else
      ranges.push_back(range);
  }

  // The ranges are the matrix, each byte once.
  void expect_whole(std::vector<ByteRange> ranges, std::uint64_t begin) const {
    std::ranges::sort(ranges, {}, &ByteRange::begin);
    std::uint64_t at = begin;
    for (const ByteRange& range : ranges) {
      ASSERT_EQ(range.begin, at);
      ASSERT_GT(range.end, range.begin);
      at = range.end;
    }
    EXPECT_EQ(at, begin + data_bytes(matrix()));
  }

  BandPlan plan_{GetParam().matrix, GetParam().limits};
};

TEST_P(BandPlanTest, WritesEveryByteOfTheOutputOnce) {
  std::vector<ByteRange> ranges;
  for (std::int64_t i = 0; i < plan_.size(); ++i) {
    const Tile tile = plan_.tile(i);
    for (std::int64_t col = tile.col; col < tile.col + tile.cols; ++col)
      append(ranges, plan_.out_range(tile, col));
  }
  expect_whole(std::move(ranges), matrix().out_offset);
}

TEST_P(BandPlanTest, ReadsEveryByteOfTheInputOnce) {
  std::vector<ByteRange> ranges;
  for (std::int64_t i = 0; i < plan_.size(); ++i) {
    const Tile tile = plan_.tile(i);
    for (std::int64_t row = tile.row; row < tile.row + tile.rows; ++row)
      append(ranges, plan_.in_range(tile, row));
  }
  expect_whole(std::move(ranges), matrix().in_offset);
}

TEST_P(BandPlanTest, KeepsToItsLimits) {
  const std::uint64_t tile = static_cast<std::uint64_t>(plan_.most_rows()) *
                             static_cast<std::uint64_t>(plan_.most_cols()) * matrix().item_bytes;
  EXPECT_LE(tile, GetParam().limits.most_bytes);
  for (std::int64_t i = 0; i < plan_.size(); ++i) {
    ASSERT_LE(plan_.tile(i).rows, plan_.most_rows());
    ASSERT_LE(plan_.tile(i).cols, plan_.most_cols());
  }
}

TEST_P(BandPlanTest, SendsAPageToTheDiskWhenItIsWholeAndOnce) {
  const std::uint64_t end = matrix().out_offset + data_bytes(matrix());
  std::vector<std::uint64_t> written(end / BandPlan::kPage + 1);  // bytes of each page
  std::vector<int> sent(written.size());
  written.front() = matrix().out_offset;
  std::uint64_t early = 0;
  for (std::int64_t i = 0; i < plan_.size(); ++i) {
    const Tile tile = plan_.tile(i);
    for (std::int64_t col = tile.col; col < tile.col + tile.cols; ++col) {
      const ByteRange range = plan_.out_range(tile, col);
      for (std::uint64_t at = range.begin; at < range.end;) {
        const std::uint64_t next =
            std::min(range.end, (at / BandPlan::kPage + 1) * BandPlan::kPage);
        written[at / BandPlan::kPage] += next - at;
        at = next;
      }
      const ByteRange pages = whole_pages(range, plan_.written_beside(tile));
      for (std::uint64_t page = pages.begin / BandPlan::kPage; page < pages.end / BandPlan::kPage;
           ++page) {
        early += written[page] != std::min(BandPlan::kPage, end - page * BandPlan::kPage) ? 1 : 0;
        ++sent[page];
      }
    }
  }
  // The first page of a block of cut rows is whole with the block before.
  EXPECT_LE(early, plan_.writes_in_order() ? 0 : static_cast<std::uint64_t>(plan_.size()));
  const auto whole = static_cast<std::size_t>(end / BandPlan::kPage);
  EXPECT_LE(std::accumulate(sent.begin(), sent.end(), std::uint64_t{0}), whole + 1);
  EXPECT_GE(std::ranges::count(sent, 1), static_cast<std::int64_t>(whole) - plan_.size());
}

// Small limits, so that each case has many tiles.
constexpr TileLimits kSmall = {.most_bytes = kMiB, .enough_bytes = kMiB / 4, .piece_bytes = 1024};
constexpr TileLimits kDisk = {.most_bytes = kMiB, .enough_bytes = kMiB, .piece_bytes = 64 << 10};

constexpr TileLimits kLittle = {
    .most_bytes = 64 << 10, .enough_bytes = 64 << 10, .piece_bytes = 1024};

constexpr TileLimits kPages = {
    .most_bytes = 20 * kMiB, .enough_bytes = 20 * kMiB, .piece_bytes = 64 << 10};

INSTANTIATE_TEST_SUITE_P(Shapes, BandPlanTest,
                         testing::Values(Case{"OneElement", {1, 1, 4, 128, 128}, kSmall},
                                         Case{"OneRow", {1, 3000000, 1, 128, 128}, kSmall},
                                         Case{"OneColumn", {3000000, 1, 1, 128, 128}, kSmall},
                                         Case{"Square1", {3001, 2999, 1, 128, 128}, kSmall},
                                         Case{"Square3", {1031, 1777, 3, 80, 128}, kSmall},
                                         Case{"Cut100", {4001, 311, 100, 131, 192}, kDisk},
                                         Case{"Square8", {1031, 1777, 8, 80, 128}, kSmall},
                                         Case{"PagesOfRows", {2048, 4096, 4, 128, 128}, kSmall},
                                         Case{"PagesOfRowsDisk", {2048, 65536, 1, 128, 128}, kDisk},
                                         Case{"Disk1", {5003, 7001, 1, 131, 192}, kDisk},
                                         Case{"Cut1", {40009, 1003, 1, 131, 192}, kDisk},
                                         Case{"Cut4", {20011, 503, 4, 128, 128}, kDisk},
                                         Case{"CutToPages", {16384, 9001, 1, 131, 192}, kPages},
                                         Case{"Cut48", {1501, 167, 48, 128, 128}, kDisk},
                                         Case{"CutPages", {65536, 512, 1, 128, 128}, kDisk},
                                         Case{"CutToLittle", {40009, 503, 1, 128, 128}, kLittle},
                                         Case{"Disk4", {5003, 1501, 4, 128, 128}, kDisk},
                                         Case{"Disk48", {999, 1003, 48, 128, 128}, kDisk},
                                         Case{"Disk256", {333, 403, 256, 128, 128}, kDisk},
                                         Case{"Tall", {2000003, 7, 2, 128, 128}, kSmall},
                                         Case{"TallDisk", {2000003, 7, 2, 128, 128}, kDisk},
                                         Case{"TallFat", {100003, 3, 48, 128, 128}, kSmall},
                                         Case{"Wide", {7, 2000003, 2, 128, 128}, kSmall},
                                         Case{"WideDisk", {7, 2000003, 2, 128, 128}, kDisk}),
                         [](const auto& info) { return info.param.name; });

TEST(BandPlan, ManyRowsOfAnInputOnADiskAreCutOnBothSides) {
  const BandPlan plan({65537, 65535, 1, 128, 128}, {96 * kMiB, 96 * kMiB, 64 << 10});
  ASSERT_FALSE(plan.writes_in_order());
  EXPECT_GT(plan.most_cols(), 8000);
  EXPECT_GT(plan.most_rows(), 8000);
}

TEST(BandPlan, CutBlocksAreOfLikeExtents) {
  const BandPlan plan({34000, 34003, 1, 128, 128}, {48 * kMiB, 48 * kMiB, 64 << 10});
  ASSERT_EQ(plan.size(), 25);
  const Tile last = plan.tile(plan.size() - 1);
  EXPECT_GT(last.rows, plan.most_rows() * 9 / 10);
  EXPECT_GT(last.cols, plan.most_cols() * 9 / 10);
}

TEST(BandPlan, ShortRowsAreCutWherePiecesOfAnInputOnADiskWouldBeShort) {
  const FileMatrix matrix = {20224, 20224, 1, 128, 128};
  const BandPlan on_disk(matrix, {15 * kMiB, 15 * kMiB, 64 << 10});
  EXPECT_FALSE(on_disk.writes_in_order());
  EXPECT_GT(on_disk.most_cols(), 2000);
  EXPECT_TRUE(BandPlan(matrix, {32 * kMiB, 32 * kMiB, 1024}).writes_in_order());  // in memory
}

TEST(BandPlan, PiecesOfAnInputOnADiskAreNoShorterThanAPageWhereBothSidesCanBe) {
  const BandPlan plan({32768, 32768, 1, 128, 128}, {24 * kMiB, 24 * kMiB, 64 << 10});
  EXPECT_GE(plan.most_cols(), 4096);
  EXPECT_GE(plan.most_rows(), 4096);
  const BandPlan little({32768, 32768, 1, 128, 128}, {12 * kMiB, 12 * kMiB, 64 << 10});
  EXPECT_GE(little.most_rows(), 8192);
}

TEST(BandPlan, InOrderWherePiecesOfTheInputArePagesAtLeast) {
  const TileLimits limits{8 * kMiB, 8 * kMiB, 4096, true};
  EXPECT_TRUE(BandPlan({2000, 65535, 4, 128, 128}, limits).writes_in_order());
  EXPECT_TRUE(BandPlan({100000, 20, 4, 128, 128}, limits).writes_in_order());  // all of it
  const BandPlan tall({16000000, 2, 4, 128, 128}, limits);
  EXPECT_FALSE(tall.writes_in_order());
  EXPECT_LE(tall.most_rows() * tall.most_cols() * 4, static_cast<std::int64_t>(8 * kMiB));
}

TEST(BandPlan, BlocksOfColumnsBeginWithPagesWhereRowsDo) {
  const BandPlan plan({4096, 65536, 1, 128, 128}, {48 * kMiB, 48 * kMiB, 1024});
  for (std::int64_t i = 1; i < plan.size(); ++i)
    EXPECT_EQ(plan.in_range(plan.tile(i), 7).begin % BandPlan::kPage, 0u);
}

TEST(BandPlan, CountsBytesBeyond32Bits) {
  const FileMatrix matrix{5000000, 3000, 16, 128, 128};  // 240 GB
  const BandPlan plan(matrix, {192 * kMiB, 128 * kMiB, 1024});
  const Tile last = plan.tile(plan.size() - 1);
  EXPECT_EQ(plan.out_range(last, 2999).end, 128 + data_bytes(matrix));
}

}  // namespace
}  // namespace xpose::app
