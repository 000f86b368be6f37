// What Policy::estimate chooses on the host where sides are short or matrices small, against what
// is faster there by the figures of the plugins' NOTES.md.
#include <gtest/gtest.h>

#include "xpose/xpose.hpp"

namespace xpose {
namespace {

std::string choice(std::int64_t matrices, std::int64_t rows, std::int64_t cols,
                   std::uint32_t bytes) {
  static Engine engine(
      {.plugin_folders = {XPOSE_PLUGINS}, .threads = 2, .in_process = true, .remember = false});
  Problem problem = matrix(rows, cols, bytes);
  problem.in_alignment = problem.out_alignment = 256;
  if (matrices > 1) problem.batch = {{matrices, rows * cols, rows * cols}};
  return to_string(engine.plan(problem, {.policy = Policy::estimate}).variant());
}

TEST(HostEstimate, FlatStripsOfEightTilesAreOfHostSimd) {
  EXPECT_EQ(choice(100'000, 8, 64, 8), "host_simd{mode=220}");
}

TEST(HostEstimate, ShortSidesAndOtherSmallMatricesAreOfHostSkinny) {
  const std::string skinny = "host_skinny{stream=1,ahead=2}",
                    few_rows = "host_skinny{stream=1,ahead=1}";
  EXPECT_EQ(choice(1'000'000, 5, 5, 4), skinny);
  EXPECT_EQ(choice(4096, 32, 32, 4), skinny);
  EXPECT_EQ(choice(100'000, 16, 16, 8), skinny);
  EXPECT_EQ(choice(64, 3, 262'144, 2), few_rows);
  EXPECT_EQ(choice(64, 262'144, 3, 2), skinny);
  EXPECT_EQ(choice(1, 10'000'000, 3, 4), skinny);
  EXPECT_EQ(choice(1, 3, 30'000'000, 1), few_rows);
  EXPECT_EQ(choice(1, 65'536, 8, 2), skinny);
  EXPECT_EQ(choice(1, 31, 1'000'000, 1), few_rows);
  EXPECT_EQ(choice(1, 63, 1'000'000, 1), skinny);
}

}  // namespace
}  // namespace xpose
