#include "counters/launched_kernel.hpp"

#include <gtest/gtest.h>

namespace xpose {
namespace {

LaunchedKernel kernel(const char* name, std::array<std::uint32_t, 3> grid,
                      std::array<std::uint32_t, 3> block) {
  LaunchedKernel made;
  made.name = name;
  made.grid = grid;
  made.block = block;
  return made;
}

TEST(LaunchedKernel, CountsBlocksPast32Bits) {
  EXPECT_EQ(blocks(kernel("", {2147483647, 65535, 65535}, {1, 1, 1})),
            2147483647ULL * 65535 * 65535);
}

TEST(LaunchedKernel, TheLastWarpOfABlockCountsWhole) {
  EXPECT_EQ(warps_per_block(kernel("", {1, 1, 1}, {32, 16, 1})), 16U);
  EXPECT_EQ(warps_per_block(kernel("", {1, 1, 1}, {33, 1, 1})), 2U);
  EXPECT_EQ(warps_per_block(kernel("", {1, 1, 1}, {8, 2, 3})), 2U);
}

TEST(LaunchedKernel, OccupancyIsActiveWarpsOverThoseThatFit) {
  EXPECT_DOUBLE_EQ(occupancy(4, 512, 2048), 1.0);
  EXPECT_DOUBLE_EQ(occupancy(3, 512, 2048), 0.75);
  EXPECT_DOUBLE_EQ(occupancy(32, 33, 2048), 1.0);
  EXPECT_DOUBLE_EQ(occupancy(16, 48, 1536), 16.0 * 64 / 1536);
  EXPECT_DOUBLE_EQ(occupancy(0, 512, 2048), 0.0);
  EXPECT_DOUBLE_EQ(occupancy(4, 512, 0), 0.0);
}

TEST(LaunchedKernel, TheOneWithTheMostWarpsLeads) {
  EXPECT_EQ(leading_kernel({}), nullptr);
  const std::vector<LaunchedKernel> kernels = {kernel("edge", {1000, 1, 1}, {32, 1, 1}),
                                               kernel("bulk", {100, 1, 1}, {32, 16, 1}),
                                               kernel("again", {1600, 1, 1}, {32, 1, 1})};
  EXPECT_EQ(leading_kernel(kernels)->name, "bulk");
}

}  // namespace
}  // namespace xpose
