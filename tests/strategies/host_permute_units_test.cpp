// The axes of a permutation in the units that the kernels of host_permute move.
#include <gtest/gtest.h>

#include "../../plugins/host_permute/layout.hpp"
#include "../../plugins/host_permute/units.hpp"
#include "../../plugins/kit/host/processor.hpp"

namespace {

using host_permute::Asks;
using host_permute::Layout;
using host_permute::Runs;
using host_permute::Units;

xpose_problem problem(int64_t rows, int64_t cols, int64_t in_ld, int64_t out_ld,
                      uint32_t element_bytes) {
  xpose_problem made{};
  made.size = sizeof made;
  made.rows = rows;
  made.cols = cols;
  made.in_ld = in_ld;
  made.out_ld = out_ld;
  made.element_bytes = element_bytes;
  return made;
}

// Elements of 12 bytes, which a normal form has as 3 of 4 bytes that stay together.
TEST(PermuteUnits, AShortRunIsOneUnit) {
  xpose_problem points = problem(1, 3, 3, 1, 4);
  points.batch_rank = 2;
  points.batch[0] = {100, 3 * 7, 3};
  points.batch[1] = {7, 3, 300};
  const Units units(points);
  EXPECT_EQ(units.bytes, 12);
  ASSERT_EQ(units.axes.size(), 2U);
  EXPECT_EQ(units.axes[0].in, 7);
  EXPECT_EQ(units.axes[0].out, 1);
  EXPECT_EQ(units.axes[1].in, 1);
  EXPECT_EQ(units.axes[1].out, 100);
  points.batch[1].out_stride = 301;  // no multiple of the run
  EXPECT_EQ(Units(points).bytes, 4);
}

TEST(PermuteUnits, ALongRunStaysAnAxis) {
  xpose_problem rows = problem(1, 100, 100, 1, 4);
  rows.batch_rank = 2;
  rows.batch[0] = {9, 700, 100};
  rows.batch[1] = {7, 100, 900};
  EXPECT_EQ(Units(rows).bytes, 4);
  EXPECT_EQ(Units(rows).axes.size(), 3U);
}

// Kept runs of whole lines, and long ones, go to their places without a buffer.
TEST(PermuteLayout, KeptRunsWithoutABufferHaveShortTiles) {
  const auto tile = [](int64_t run, int64_t out_ld) {
    xpose_problem kept = problem(1, run, run, 1, 4);
    kept.batch_rank = 2;
    kept.batch[0] = {384, run, 384 * out_ld};
    kept.batch[1] = {384, 384 * run, out_ld};
    return Layout(kept, Runs(1024, 256));
  };
  EXPECT_TRUE(tile(208, 208).has_whole_runs);
  EXPECT_LE(tile(208, 208).tile_bytes(), 5 * 208 * 4);
  EXPECT_FALSE(tile(200, 200).has_whole_runs);
  EXPECT_GE(tile(200, 200).tile_bytes(), 8192);
  EXPECT_FALSE(tile(208, 209).has_whole_runs);
  EXPECT_FALSE(tile(207, 208).has_whole_runs);
  EXPECT_LE(tile(367, 367).tile_bytes(), 3 * 367 * 4);
}

// Rows that lie 64 KiB apart fall into one set of the second level, and those of 65 KiB do not.
TEST(PermuteLayout, RowsThatLieAPowerOfTwoApartMakeWideTiles) {
  const auto layout = [](int64_t in_ld, uint64_t cache_bytes) {
    xpose_problem reversed = problem(64, 64, in_ld, 16 * 64 * 64, 4);
    reversed.batch_rank = 2;
    reversed.batch[0] = {64, 64, 64};
    reversed.batch[1] = {16, 64 * 64, 64 * 64};
    reversed.cache_bytes = cache_bytes;
    return Layout(reversed, Runs(512, 256));
  };
  const bool is_known = host::is_of_amd_without_avx512();
  EXPECT_EQ(layout(65536, 1).asks, is_known ? Asks::next_rows : Asks::nothing);
  EXPECT_EQ(layout(65536 + 256, 1).asks, is_known ? Asks::lines_again : Asks::nothing);
  EXPECT_EQ(layout(65536, 1U << 30).asks, Asks::nothing);
  const int64_t wide = is_known ? 4 : 1;
  EXPECT_EQ(layout(65536, 1).tiling.read_run, wide * layout(65536, 1U << 30).tiling.read_run);
}

// A reversed innermost axis of the input: its last element is the lowest.
TEST(PermuteUnits, AnAxisThatIsReadBackwardsIsTurned) {
  xpose_problem reversed = problem(5, 1, 20, 5, 2);
  reversed.batch_rank = 1;
  reversed.batch[0] = {20, -1, 5};
  const Units units(reversed);
  EXPECT_EQ(units.in_begin, -19 * 2);
  EXPECT_EQ(units.out_begin, 19 * 5 * 2);
  ASSERT_EQ(units.axes.size(), 2U);
  EXPECT_EQ(units.axes[1].in, 1);
  EXPECT_EQ(units.axes[1].out, -5);
}

}  // namespace
