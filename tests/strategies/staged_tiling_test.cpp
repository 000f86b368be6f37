// The tiles that go through a GPU, and the copies of their rows by threads: arithmetic, without a
// GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "../../plugins/cuda_staged/copies.hpp"
#include "../../plugins/cuda_staged/quote.hpp"
#include "../../plugins/cuda_staged/tiling.hpp"
#include "../../plugins/kit/matrices.hpp"

namespace {

using staged::Rows;
using staged::Tile;
using staged::Tiling;

constexpr int64_t kMiB = 1 << 20;
constexpr int64_t kTiles = 20, kBands = 16;

xpose_problem problem(int64_t matrices, int64_t rows, int64_t cols, uint32_t bytes) {
  xpose_problem made{};
  made.size = sizeof made;
  made.element_bytes = bytes;
  made.rows = rows;
  made.cols = cols;
  made.in_ld = cols;
  made.out_ld = rows;
  made.multiprocessors = 16;
  if (matrices > 1) {
    made.batch_rank = 1;
    made.batch[0] = {matrices, rows * cols, rows * cols};
  }
  return made;
}

int64_t elements(const Tile& tile) { return tile.matrices * tile.rows * tile.cols; }

// How often each element lies in a band of a tile.
std::vector<int> covers(const xpose_problem& of, const Tiling& tiling) {
  std::vector<int> times(static_cast<size_t>(xpose::plugin::bytes_of(of) / of.element_bytes), 0);
  for (int64_t i = 0; i < tiling.count(); ++i)
    for (int64_t b = 0; b < tiling.bands(tiling.at(i)); ++b) {
      const Tile band = tiling.band(tiling.at(i), b);
      for (int64_t m = band.matrix; m < band.matrix + band.matrices; ++m)
        for (int64_t r = band.row; r < band.row + band.rows; ++r)
          for (int64_t c = band.col; c < band.col + band.cols; ++c)
            ++times.at(static_cast<size_t>((m * of.rows + r) * of.cols + c));
    }
  return times;
}

TEST(StagedTiling, CoversEachElementOnceWithinItsSlot) {
  std::mt19937 random(22);
  const auto below = [&](int64_t end) { return static_cast<int64_t>(random() % end); };
  for (int i = 0; i < 40; ++i) {
    const int64_t rows = 1 + below(int64_t{1} << below(13)), cols = 1 + below(2'000'000 / rows);
    const int64_t matrices = 1 + below(2'000'000 / (rows * cols));
    const uint32_t bytes = 1U << below(5);
    SCOPED_TRACE(std::to_string(matrices) + " of " + std::to_string(rows) + "x" +
                 std::to_string(cols) + " of " + std::to_string(bytes) + " bytes");
    const xpose_problem drawn = problem(matrices, rows, cols, bytes);
    for (const auto& [slot, tiles] : {std::pair{4 * kMiB, kTiles}, std::pair{64 * kMiB, 1L}}) {
      const Tiling tiling(drawn, slot, tiles, kBands);
      EXPECT_LE(tiling.most_bytes(), slot);
      for (int64_t tile = 0; tile < tiling.count(); ++tile) {
        const Tile at = tiling.at(tile);
        ASSERT_LE(elements(at) * bytes, tiling.most_bytes());
        for (int64_t band = 0; band < tiling.bands(at); ++band)
          ASSERT_LE(elements(tiling.band(at, band)) * bytes, tiling.band_bytes());
      }
      const std::vector<int> times = covers(drawn, tiling);
      EXPECT_EQ(std::ranges::count(times, 1), std::ssize(times));
    }
  }
}

// A plan has few of them on the GPU, beside whole tiles.
TEST(StagedTiling, LargeTilesComeInBands) {
  for (const xpose_problem& of : {problem(1, 200'001, 200'003, 1), problem(1, 70'001, 70'003, 8),
                                  problem(70, 20'001, 20'003, 1), problem(900'000, 161, 167, 2)}) {
    SCOPED_TRACE(std::to_string(of.rows) + "x" + std::to_string(of.cols));
    const Tiling tiling(of, 3072 * kMiB, 8, kBands);
    EXPECT_GE(tiling.bands(tiling.full()), kBands * 3 / 4);
    EXPECT_LE(tiling.band_bytes(), tiling.most_bytes() / (kBands - 3));
    EXPECT_EQ(Tiling(of, 3072 * kMiB, 8, 1).bands(tiling.full()), 1);
  }
}

TEST(StagedTiling, LargeMatricesHaveLongRunsOnBothSides) {
  for (const uint32_t bytes : {1U, 2U, 4U, 8U, 16U}) {
    const Tiling square(problem(1, 65'536, 65'536, bytes), 16 * kMiB, kTiles, kBands);
    EXPECT_GE(square.full().rows * bytes, 4096);
    EXPECT_GE(square.full().cols * bytes, 4096);
    EXPECT_GT(square.most_bytes(), 12 * kMiB);
  }
  const Tiling skinny(problem(1, 100'000'000, 16, 4), 16 * kMiB, kTiles, kBands);
  EXPECT_EQ(skinny.full().cols, 16);
  EXPECT_GT(skinny.most_bytes(), 15 * kMiB);
  const Tiling flat(problem(1, 3, 1'000'000'000, 1), 16 * kMiB, kTiles, kBands);
  EXPECT_EQ(flat.full().rows, 3);
  EXPECT_GT(flat.most_bytes(), 15 * kMiB);
}

TEST(StagedTiling, NoTileIsASliver) {
  const Tiling tiling(problem(1, 16'383, 16'385, 1), 4 * kMiB, kTiles, kBands);
  for (int64_t i = 0; i < tiling.count(); ++i) {
    EXPECT_GE(tiling.at(i).rows, 512);
    EXPECT_GE(tiling.at(i).cols, 512);
  }
}

TEST(StagedTiling, SmallMatricesShareASlot) {
  const Tiling tiling(problem(100'000, 32, 32, 4), 16 * kMiB, kTiles, kBands);
  EXPECT_EQ(tiling.full().rows, 32);
  EXPECT_EQ(tiling.full().cols, 32);
  EXPECT_GE(tiling.full().matrices, 4096);
}

TEST(StagedTiling, TwentyTilesOverlapUnlessTheyWereTiny) {
  EXPECT_GE(Tiling(problem(1, 8192, 8192, 4), 16 * kMiB, kTiles, kBands).count(), 20);
  EXPECT_EQ(Tiling(problem(1, 300, 300, 4), 16 * kMiB, kTiles, kBands).count(), 1);
}

// While the first tile comes nothing leaves, and while the last one leaves nothing comes.
TEST(StagedTiling, TheFirstAndTheLastTileAreStrips) {
  for (const xpose_problem& of : {problem(1, 40'001, 40'003, 4), problem(1, 3, 500'000'000, 4),
                                  problem(1, 500'000'000, 5, 1), problem(90'000, 61, 67, 8)}) {
    SCOPED_TRACE(std::to_string(of.rows) + "x" + std::to_string(of.cols));
    const Tiling tiling(of, 256 * kMiB, 8, kBands);
    const auto bytes = [&](int64_t number) {
      const Tile tile = tiling.at(number);
      return tile.matrices * tile.rows * tile.cols * of.element_bytes;
    };
    for (const int64_t at : {int64_t{0}, int64_t{3}, tiling.count() - 4, tiling.count() - 1})
      EXPECT_LE(bytes(at), tiling.most_bytes() * 26 / 100) << at << " of " << tiling.count();
    EXPECT_EQ(bytes(4), tiling.most_bytes());
  }
}

TEST(StagedTiling, TheLargestProblemsDoNotOverflow) {
  for (const uint32_t bytes : {1U, 16U}) {
    const int64_t most = (int64_t{1} << 56) / bytes;
    for (const xpose_problem& large :
         {problem(1, most, 1, bytes), problem(1, 1, most, bytes), problem(most, 1, 1, bytes),
          problem(1, int64_t{1} << 26, most >> 26, bytes)}) {
      const Tiling tiling(large, 16 * kMiB, kTiles, kBands);
      EXPECT_LE(tiling.most_bytes(), 16 * kMiB);
      const Tile last = tiling.at(tiling.count() - 1);
      EXPECT_EQ(last.matrix + last.matrices, large.batch_rank == 0 ? 1 : most);
      EXPECT_LE(std::max(Tiling(large, 3072 * kMiB, 8, kBands).full().rows,
                         Tiling(large, 3072 * kMiB, 8, kBands).full().cols),
                INT32_MAX);
      EXPECT_EQ(last.row + last.rows, large.rows);
      EXPECT_EQ(last.col + last.cols, large.cols);
    }
  }
}

// Any part of the runs, to a slot and back to another place, moves its bytes and no other.
TEST(StagedCopies, PartsOfRunsMoveTheirBytesAlone) {
  std::mt19937 random(5);
  const auto below = [&](int64_t end) { return static_cast<int64_t>(random() % end); };
  for (int i = 0; i < 300; ++i) {
    const int64_t run = 1 + below(i % 2 == 0 ? 40 : 2000), rows = 1 + below(9);
    const int64_t pitch = run + below(3) * below(70), matrices = 1 + below(3);
    const int64_t stride = rows * pitch + below(2) * below(50), begin = below(64);
    std::vector<unsigned char> from(static_cast<size_t>(begin + matrices * stride));
    for (unsigned char& byte : from) byte = static_cast<unsigned char>(random());
    std::vector<unsigned char> to(from.size(), 0), wanted = to;
    const Rows all{from.data() + begin, run, rows, matrices, pitch, stride};
    std::vector<unsigned char> slot(static_cast<size_t>(all.bytes()), 0);
    const int64_t first = below(all.bytes()), last = first + below(all.bytes() - first + 1);
    Rows back = all;
    back.begin = to.data() + begin;
    staged::copy_to_slot(all.joined(), slot.data(), first, last);
    staged::copy_from_slot(back.joined(), slot.data(), first, last);
    for (int64_t at = first; at < last; ++at) {
      const auto place = static_cast<size_t>(begin + at / (run * rows) * stride +
                                             at % (run * rows) / run * pitch + at % run);
      wanted[place] = from[place];
    }
    ASSERT_EQ(to, wanted) << "runs of " << run << " bytes, " << pitch << " apart";
  }
}

TEST(StagedCopies, RunsWithoutGapsAreOne) {
  const Rows dense = Rows{nullptr, 64, 10, 3, 64, 640}.joined();
  EXPECT_EQ(dense.run, 1920);
  EXPECT_EQ(dense.rows * dense.matrices, 1);
  const Rows apart = Rows{nullptr, 64, 10, 3, 64, 700}.joined();
  EXPECT_EQ(apart.run, 640);
  EXPECT_EQ(apart.matrices, 3);
  EXPECT_EQ((Rows{nullptr, 64, 10, 3, 65, 650}.joined().run), 64);
}

// The start of the driver weighs on small problems, and copies by threads on large ones.
TEST(StagedQuote, IsFarBehindTheHostsMemory) {
  const auto percent = [](const xpose_problem& of) {
    return staged::demand_of(of, Tiling(of, 16 * kMiB, kTiles, kBands)).slower_percent;
  };
  EXPECT_GT(percent(problem(1, 100, 100, 4)), 1'000'000U);
  EXPECT_GT(percent(problem(1, 4096, 4096, 4)), 10'000U);
  EXPECT_GT(percent(problem(1, 131'072, 131'072, 4)), 100U);
  EXPECT_LT(percent(problem(1, 131'072, 131'072, 4)), 300U);
}

}  // namespace
