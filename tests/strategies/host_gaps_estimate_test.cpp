// What Policy::estimate chooses on the host where rows have gaps, against what is faster there
// by the figures of the plugins' NOTES.md.
#include <gtest/gtest.h>

#include "host_choices.hpp"

namespace xpose {
namespace {

// Stores into the cache complete the lines that output rows share where less than a line lies
// between them. Where more does, each short column has lines of its own.
TEST(HostEstimate, GapsBetweenShortColumnsDecideOnStoresIntoTheCache) {
  Problem problem = in_rows(27, 955, 4, 973, 28);
  problem.batch = {{12, 26'271, 26'740}};
  EXPECT_EQ(choice(problem), "host_simd{mode=310}");
  problem = in_rows(4, 4493, 10, 4604, 6);
  EXPECT_EQ(choice(problem), "host_permute{run=1024,in_run=512,stream=0}");
  problem = in_rows(4, 1130, 16, 1172, 7);  // as much lies between columns as they have
  EXPECT_NE(choice(problem), "host_simd{mode=310}");
  problem = in_rows(10, 63'084, 8, 63'122, 95);
  EXPECT_EQ(choice(problem).substr(0, 12), kIsOfAmd ? "host_permute" : "host_naive_c");
}

// Short columns are for loops that write one after another, without a buffer, and for the cache
// where they are near each other. Long ones are staged.
TEST(HostEstimate, GapsElsewhereThanOnAmd) {
  if (kIsOfAmd) GTEST_SKIP() << "SKIPPED: this processor is of AMD";
  EXPECT_EQ(choice(in_rows(9, 2'446'189, 8, 2'446'190, 83)), "host_naive_col");
  EXPECT_EQ(choice(in_rows(4, 40'838, 8, 40'839, 99)), "host_naive_col");
  EXPECT_EQ(choice(in_rows(3, 1'881'502, 16, 1'881'504, 29)), "host_unroll4_col");
  EXPECT_EQ(choice(in_rows(17, 208'893, 16, 208'894, 38)), "host_unroll4_col");
  EXPECT_EQ(choice(in_rows(13, 16'760, 16, 16'778, 20)), "host_simd{mode=310}");
  EXPECT_EQ(choice(in_rows(17, 2577, 4, 2652, 18)), "host_simd{mode=310}");
  EXPECT_EQ(choice(in_rows(47, 50'741, 16, 50'742, 49), 16).substr(0, 12), "host_permute");
}

TEST(HostEstimate, LoneColumnsOfTwoBytesAreOfBlocksElsewhereThanOnAmd) {
  if (kIsOfAmd) GTEST_SKIP() << "SKIPPED: this processor is of AMD";
  EXPECT_EQ(choice(in_rows(18, 18'963, 2, 18'965, 226), 2).substr(0, 12), "host_blocked");
  EXPECT_EQ(choice(in_rows(19, 210'826, 2, 210'835, 259)).substr(0, 12), "host_blocked");
}

TEST(HostEstimate, ShortRowsOfOddUnitsWithGapsElsewhereThanOnAmd) {
  if (kIsOfAmd) GTEST_SKIP() << "SKIPPED: this processor is of AMD";
  EXPECT_EQ(choice(in_rows(43'376, 13, 3, 29, 43'377)).substr(0, 8), "host_odd");
  EXPECT_EQ(choice(in_rows(22'030, 8, 6, 27, 22'093)).substr(0, 8), "host_odd");
  EXPECT_EQ(choice(in_rows(72'603, 9, 7, 107, 72'629)).substr(0, 8), "host_odd");
}

// A column is less than a line: those who write one element to each column gain nothing by lines.
TEST(HostEstimate, LoneColumnsAreNotForLoopsByInputRows) {
  Problem problem = in_rows(2, 108, 8, 111, 15);
  problem.batch = {{201, 222, 1620}};
  EXPECT_EQ(choice(problem), "host_skinny{stream=0,ahead=2}");
  problem = in_rows(12, 29'512, 4, 29'515, 106);
  EXPECT_EQ(choice(problem).substr(0, 11), "host_skinny");
}

// Wide elements are no slower one by one, but one thread is slower than two.
TEST(HostEstimate, LoneColumnsOfWideElementsAreForLoopsByOutputRows) {
  Problem problem = matrix(2, 95'774, 16);
  problem.out_ld = 189;
  EXPECT_EQ(choice(problem, 16), "host_unroll4_col");
}

TEST(HostEstimate, ColumnsWithGapsAreNotOfHostPermuteWhereElementsAreOfTwoOrManyBytes) {
  Problem problem = in_rows(106, 32'421, 2, 32'426, 113);
  EXPECT_EQ(choice(problem).substr(0, 9), "host_simd");
  problem = in_rows(14, 265'759, 8, 265'760, 27);
  EXPECT_NE(choice(problem, 16).substr(0, 12), "host_permute");
}

// Rows of 2 bytes, 32 apart: a launch for each index of the others would move all sixteen times.
TEST(HostEstimate, GapsBetweenShortRowsAreMovedAsWell) {
  EXPECT_EQ(choice({2, 2, 2, 2, 2, 2, 2, 6'006'714}, {5, 6, 7, 1, 0, 3, 2, 4}, 1).substr(0, 12),
            "host_permute");
}

}  // namespace
}  // namespace xpose
