// The blocks of a permutation hold every element once, fit into their limit, and have long runs.
#include "run/block_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace xpose::app {
namespace {

struct Case {
  const char* name;
  DenseArray array;
  TileLimits limits;
};

class BlockPlanTest : public testing::TestWithParam<Case> {
 protected:
  FilePermutation file_ = {GetParam().array, 80, 192};
  BlockPlan plan_{file_, GetParam().limits};
  std::size_t elements_ = file_.array.bytes() / file_.array.item_bytes;
  std::size_t item_ = file_.array.item_bytes;

  // Where the elements of a dense array of those extents come to lie.
  static std::vector<std::size_t> places(const std::vector<std::int64_t>& extents,
                                         const std::vector<int>& axes) {
    std::size_t all = 1;
    std::vector<std::size_t> strides(extents.size());
    for (std::size_t at = axes.size(); at-- > 0;) {
      const auto axis = static_cast<std::size_t>(axes[at]);
      strides[axis] = all;
      all *= static_cast<std::size_t>(extents[axis]);
    }
    std::vector<std::size_t> places(all);
    for (std::size_t i = 0; i < all; ++i) {
      std::size_t rest = i;
      for (std::size_t axis = extents.size(); axis-- > 0;) {
        places[i] += rest % static_cast<std::size_t>(extents[axis]) * strides[axis];
        rest /= static_cast<std::size_t>(extents[axis]);
      }
    }
    return places;
  }
};

TEST_P(BlockPlanTest, EveryElementIsReadOnceAndWrittenOnceToItsPlace) {
  std::vector<int> reads(elements_);
  std::vector<std::size_t> out(elements_, elements_);  // which input element lies there
  for (std::int64_t i = 0; i < plan_.size(); ++i) {
    const Block block = plan_.block(i);
    std::vector<std::size_t> memory;
    plan_.for_each_in_range(block, [&](const ByteRange& range) {
      for (std::uint64_t byte = range.begin; byte < range.end; byte += item_) {
        memory.push_back((byte - file_.in_offset) / item_);
        ++reads.at(memory.back());
      }
    });
    const std::vector<std::size_t> place = places(block.extents, file_.array.axes);
    ASSERT_EQ(place.size(), memory.size());
    std::vector<std::size_t> permuted(memory.size());
    for (std::size_t j = 0; j < place.size(); ++j) permuted[place[j]] = memory[j];
    std::size_t next = 0;
    plan_.for_each_out_range(block, [&](const ByteRange& range, const Neighbours&) {
      for (std::uint64_t byte = range.begin; byte < range.end; byte += item_)
        out.at((byte - file_.out_offset) / item_) = permuted.at(next++);
    });
    EXPECT_EQ(next, permuted.size());
  }
  EXPECT_EQ(std::ranges::count(reads, 1), static_cast<std::ptrdiff_t>(elements_));
  const std::vector<std::size_t> place = places(file_.array.extents, file_.array.axes);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < elements_; ++i) wrong += out[place[i]] == i ? 0U : 1U;
  EXPECT_EQ(wrong, 0U);
}

TEST_P(BlockPlanTest, BlocksFitIntoTheirLimit) {
  for (std::int64_t i = 0; i < plan_.size(); ++i) {
    const DenseArray block{plan_.block(i).extents, {}, item_};
    EXPECT_LE(block.bytes(), GetParam().limits.most_bytes);
    EXPECT_GE(std::ranges::min(block.extents), 1);
    for (std::size_t axis = 0; axis < block.extents.size(); ++axis)
      EXPECT_LE(block.extents[axis], plan_.most_extents()[axis]);
  }
}

TEST_P(BlockPlanTest, SaysTruthfullyWhatIsWrittenBesideARange) {
  std::vector<bool> written(elements_);
  std::uint64_t end = file_.out_offset;
  bool in_order = true;
  for (std::int64_t i = 0; i < plan_.size(); ++i) {
    int ranges = 0;
    plan_.for_each_out_range(plan_.block(i), [&](const ByteRange& range, const Neighbours& beside) {
      const std::size_t first = (range.begin - file_.out_offset) / item_;
      const std::size_t behind = (range.end - file_.out_offset) / item_;
      if (range.size() >= 2 * BandPlan::kPage) {
        EXPECT_EQ(beside.before, first == 0 || written[first - 1]);
        EXPECT_EQ(beside.behind, behind < elements_ && written[behind]);
      } else {
        EXPECT_FALSE(beside.before || beside.behind);
      }
      std::fill(written.begin() + static_cast<std::ptrdiff_t>(first),
                written.begin() + static_cast<std::ptrdiff_t>(behind), true);
      in_order = in_order && ++ranges == 1 && range.begin == end;
      end = range.end;
    });
  }
  EXPECT_EQ(plan_.writes_in_order(), in_order);
}

constexpr std::uint64_t kKiB = 1024;
constexpr TileLimits kSmall = {64 * kKiB, 64 * kKiB, 1024, false};
constexpr TileLimits kSplit = {256 * kKiB, 64 * kKiB, 1024, false};
constexpr TileLimits kInOrder = {64 * kKiB, 64 * kKiB, 1024, true};
constexpr TileLimits kWhole = {64 << 20, 64 << 20, 1024, false};

INSTANTIATE_TEST_SUITE_P(
    Shapes, BlockPlanTest,
    testing::Values(Case{"Whole", {{30, 40, 50}, {2, 1, 0}, 4}, kWhole},
                    Case{"Reversed", {{60, 70, 80}, {2, 1, 0}, 4}, kSmall},
                    Case{"ReversedInOrder", {{60, 70, 80}, {2, 1, 0}, 4}, kInOrder},
                    Case{"Batch", {{60, 70, 80}, {0, 2, 1}, 4}, kSmall},
                    Case{"BatchInOrder", {{60, 70, 80}, {0, 2, 1}, 4}, kInOrder},
                    Case{"LongRuns", {{7, 5, 30000}, {1, 0, 2}, 1}, kSmall},
                    Case{"LongerRuns", {{3, 2, 300000}, {1, 0, 2}, 1}, kSmall},
                    Case{"ShortRuns", {{70, 50, 301}, {1, 0, 2}, 1}, kSplit},
                    Case{"Rotation", {{65, 66, 67}, {2, 0, 1}, 8}, kSmall},
                    Case{"RotationInOrder", {{65, 66, 67}, {1, 2, 0}, 8}, kInOrder},
                    Case{"Fat", {{15, 16, 17, 3}, {2, 1, 0, 3}, 128}, kSplit},
                    Case{"Many", {{5, 6, 3, 7, 4, 5, 2, 9}, {7, 3, 5, 0, 2, 6, 1, 4}, 2}, kSmall},
                    Case{"Twos",
                         {{2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2},
                          {17, 3, 8, 0, 11, 5, 16, 1, 14, 2, 10, 13, 4, 9, 15, 6, 12, 7},
                          2},
                         kSmall},
                    Case{"OneLong", {{2, 150000, 3}, {2, 1, 0}, 1}, kSmall}),
    [](const auto& info) { return info.param.name; });

// A cube of 512 MiB in a few MiB: both sides have runs of many pages.
TEST(BlockPlan, RunsOfBothSidesAreAsLongAsCanBe) {
  const FilePermutation file{{{512, 512, 512}, {2, 1, 0}, 4}, 128, 128};
  const BlockPlan plan(file, {16 << 20, 16 << 20, 64 << 10, false});
  std::uint64_t shortest = file.array.bytes();
  plan.for_each_in_range(
      plan.block(0), [&](const ByteRange& range) { shortest = std::min(shortest, range.size()); });
  plan.for_each_out_range(plan.block(0), [&](const ByteRange& range, const Neighbours&) {
    shortest = std::min(shortest, range.size());
  });
  EXPECT_GE(shortest, 16U << 10);
  EXPECT_LE(plan.size(), 64);
}

TEST(BlockPlan, InOrderWhereRunsOfTheInputHaveAPage) {
  const TileLimits limits{8 << 20, 8 << 20, 4096, true};
  EXPECT_TRUE(BlockPlan({{{512, 512, 512}, {0, 2, 1}, 4}, 0, 0}, limits).writes_in_order());
  EXPECT_TRUE(BlockPlan({{{64, 64, 64}, {2, 1, 0}, 4}, 0, 0}, limits).writes_in_order());
  EXPECT_FALSE(BlockPlan({{{512, 512, 512}, {2, 1, 0}, 4}, 0, 0}, limits).writes_in_order());
}

TEST(BlockPlan, CountsBytesBeyond32Bits) {
  const FilePermutation file{{{3000, 5000, 1000}, {2, 1, 0}, 16}, 128, 128};  // 240 GB
  const BlockPlan plan(file, {192 << 20, 128 << 20, 1024, false});
  std::uint64_t end = 0;
  plan.for_each_out_range(plan.block(plan.size() - 1),
                          [&](const ByteRange& range, const Neighbours&) { end = range.end; });
  EXPECT_EQ(end, 128 + file.array.bytes());
}

}  // namespace
}  // namespace xpose::app
