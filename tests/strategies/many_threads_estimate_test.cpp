// What Policy::estimate chooses on a host of sixteen processors, against what is faster there by
// the figures of the plugins' NOTES.md.
#include <gtest/gtest.h>

#include "host_choices.hpp"

namespace xpose {
namespace {

std::string of_sixteen(const Problem& problem, std::uint32_t alignment) {
  return choice(problem, alignment, 16);
}

// Non-temporal stores wait for the memory that the threads share, ordinary ones for a cache of
// each.
TEST(ManyThreadsEstimate, SmallMatricesStayInTheCaches) {
  if (kIsOfAmd) GTEST_SKIP() << "SKIPPED: this processor is of AMD";
  EXPECT_EQ(of_sixteen(matrix(881, 233, 4), 256), "host_simd{mode=310}");
  EXPECT_EQ(of_sixteen(matrix(337, 204, 8), 256), "host_simd{mode=310}");
  EXPECT_EQ(of_sixteen(matrix(115, 457, 16), 256), "host_simd{mode=310}");
  EXPECT_EQ(of_sixteen(matrix(3397, 144, 1), 1), "host_simd{mode=310}");
  EXPECT_EQ(of_sixteen(matrix(2233, 148, 2), 16), "host_simd{mode=310}");
  EXPECT_NE(of_sixteen(matrix(12'251, 10, 16), 256), "host_simd{mode=310}");
  EXPECT_NE(choice(matrix(881, 233, 4), 256), "host_simd{mode=310}");  // two processors
  EXPECT_NE(of_sixteen(matrix(8810, 2330, 4), 256), "host_simd{mode=310}");
}

// Elements that are written one by one cost less with many threads.
TEST(ManyThreadsEstimate, MiddleMatricesGoStraightFromRegisters) {
  if (kIsOfAmd) GTEST_SKIP() << "SKIPPED: this processor is of AMD";
  EXPECT_EQ(of_sixteen(matrix(549, 2879, 1), 256), "host_simd{mode=310}");
  EXPECT_EQ(of_sixteen(matrix(4396, 388, 1), 16), "host_simd{mode=310}");
  EXPECT_EQ(of_sixteen(matrix(629, 712, 4), 16), "host_simd{mode=310}");
  EXPECT_EQ(of_sixteen(matrix(348, 1227, 4), 256), "host_simd{mode=310}");
}

TEST(ManyThreadsEstimate, PanelsAreForLittle) {
  if (kIsOfAmd) GTEST_SKIP() << "SKIPPED: this processor is of AMD";
  EXPECT_EQ(of_sixteen(matrix(1174, 2178, 1), 256), "host_simd{mode=220}");
  EXPECT_EQ(of_sixteen(matrix(1188, 3643, 1), 256), "host_simd{mode=220}");
  EXPECT_EQ(of_sixteen(matrix(2318, 168, 8), 256), "host_simd{mode=520}");
  EXPECT_EQ(of_sixteen(matrix(2832, 224, 8), 8), "host_simd{mode=520}");
}

// A thread that has one tile, or a part of one, begins it without its lines.
TEST(ManyThreadsEstimate, FewTilesAreNotForHostPermute) {
  if (kIsOfAmd) GTEST_SKIP() << "SKIPPED: this processor is of AMD";
  EXPECT_EQ(of_sixteen(matrix(371, 1669, 1), 256), "host_simd{mode=223}");
  EXPECT_EQ(of_sixteen(matrix(359, 1542, 1), 16), "host_simd{mode=223}");
}

}  // namespace
}  // namespace xpose
