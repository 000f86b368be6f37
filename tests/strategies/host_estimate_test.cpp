// What Policy::estimate chooses on the host where sides are short or matrices small, against what
// is faster there by the figures of the plugins' NOTES.md.
#include <gtest/gtest.h>

#include "host_choices.hpp"

namespace xpose {
namespace {

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
  EXPECT_EQ(choice(1, 31, 1'000'000, 1), kIsOfAmd ? skinny : few_rows);
  EXPECT_EQ(choice(1, 63, 1'000'000, 1), few_rows);
  EXPECT_EQ(choice(1, 24, 1'000'000, 2), skinny);
}

// The processor foresees a few rows, but not many of a small problem.
TEST(HostEstimate, RowsOfSmallProblemsAreAskedFor) {
  EXPECT_EQ(choice(1, 7, 13'495, 4), "host_skinny{stream=1,ahead=2}");
  EXPECT_EQ(choice(1, 3, 106'344, 4), "host_skinny{stream=1,ahead=1}");
  EXPECT_EQ(choice(1, 7, 1'000'000, 4), "host_skinny{stream=1,ahead=1}");
  // Many rows of bytes are asked for granule by granule.
  EXPECT_EQ(choice(1, 52, 1627, 1), "host_skinny{stream=1,ahead=1}");
  EXPECT_EQ(choice(1, 41, 121'648, 1), "host_skinny{stream=1,ahead=1}");
  EXPECT_EQ(choice(1, 27, 8514, 1) == "host_skinny{stream=1,ahead=2}", kIsOfAmd);
}

// Every strip of host_simd ends in an expensive edge.
TEST(HostEstimate, ShortSidesWithSharedLinesAreOfHostPermute) {
  const auto strategy = [](const std::string& variant) {
    return variant.substr(0, variant.find('{'));
  };
  EXPECT_EQ(strategy(choice(1, 10, 78'555, 16)), "host_permute");
  EXPECT_EQ(strategy(choice(2774, 17, 85, 4)), "host_permute");
  // One tile and a half is soon written.
  EXPECT_EQ(strategy(choice(1, 19, 141'475, 4)), "host_permute");
  EXPECT_EQ(strategy(choice(1, 12, 286'788, 8)), "host_permute");
  EXPECT_EQ(strategy(choice(1, 5, 199'146, 16)), "host_permute");
  // Panels of bytes have short columns.
  EXPECT_EQ(strategy(choice(1, 81, 123'457, 1)), "host_permute");
  EXPECT_EQ(strategy(choice(1, 121, 24'051, 1)), kIsOfAmd ? "host_permute" : "host_simd");
}

// The lines of one are the other's as well, be they of one launch or of several.
TEST(HostEstimate, MatricesInEachOthersGapsAreOfHostPermute) {
  EXPECT_EQ(choice({2, 2, 185'017}, {2, 1, 0}, 2).substr(0, 12), "host_permute");
  EXPECT_EQ(choice({2, 142, 3, 2, 8, 3, 2, 4179}, {0, 1, 2, 5, 4, 7, 3, 6}, 2).substr(0, 12),
            "host_permute");
}

// The first blocks were not asked for.
TEST(HostEstimate, SmallMatricesThatAreFlatAreOfHostPermute) {
  EXPECT_EQ(choice(1, 46, 662, 4).substr(0, 12), "host_permute");
  EXPECT_EQ(choice(1, 7, 600, 16).substr(0, 12), "host_permute");
  EXPECT_EQ(choice(1, 12, 1037, 16).substr(0, 12), "host_permute");
  EXPECT_EQ(choice(1, 165, 1585, 1).substr(0, 12), "host_permute");
  // With two threads too, where elements are bytes.
  EXPECT_EQ(choice(1, 103, 2719, 1).substr(0, 12), "host_permute");
  EXPECT_EQ(choice(1, 264, 2298, 1).substr(0, 12), "host_permute");
}

// One thread is done with few panels before they were asked for.
TEST(HostEstimate, SmallMatricesOfLongRowsAreNotForPanels) {
  EXPECT_EQ(choice(1, 275, 65, 4).substr(0, 12), "host_permute");
  EXPECT_EQ(choice(1, 1039, 27, 4), "host_simd{mode=223}");
}

// Panels down have few of them in small matrices of bytes, or of long rows.
TEST(HostEstimate, SmallMatricesDownElsewhereThanOnAmd) {
  if (kIsOfAmd) GTEST_SKIP() << "SKIPPED: this processor is of AMD";
  for (const std::int64_t cols : {95, 266, 879})
    EXPECT_NE(choice(1, 2000, cols, 1), "host_simd{mode=223}") << cols;
  EXPECT_NE(choice(1, 285, 167, 8), "host_simd{mode=223}");
  EXPECT_NE(choice(matrix(281, 207, 8), 16), "host_simd{mode=223}");
  EXPECT_EQ(choice(1, 4766, 41, 8), "host_simd{mode=223}");
}

// The same short sides by processors that are not of AMD: wide elements are slower by panels
// across, long columns of bytes faster, and the widest with gaps by a loop.
TEST(HostEstimate, ShortSidesElsewhereThanOnAmd) {
  if (kIsOfAmd) GTEST_SKIP() << "SKIPPED: this processor is of AMD";
  EXPECT_EQ(choice(1, 34, 5520, 8).substr(0, 12), "host_permute");
  EXPECT_EQ(choice(1, 268, 174'071, 1), "host_simd{mode=223}");
  EXPECT_EQ(choice(in_rows(8, 20'000, 16, 20'001, 25)), "host_unroll4_col");
  EXPECT_EQ(choice(1, 111, 221'940, 9).substr(0, 8), "host_odd");
  EXPECT_EQ(choice(1, 111, 221'940, 10).substr(0, 8), "host_odd");
}

// A call copies each row into the buffer.
TEST(HostEstimate, ShortRowsOfABatchAreNotForBuffers) {
  Problem problem = in_rows(29, 2, 8, 130, 182);
  problem.batch = {{1641, 29 * 130, 2 * 182}};
  EXPECT_NE(choice(problem).substr(0, 12), "host_blocked");
}

// Strips of tiles through all of a short side write lines that rows share once, and whole.
TEST(HostEstimate, NarrowMatricesGoByPanels) {
  EXPECT_EQ(choice(1, 9751, 149, 4), "host_simd{mode=223}");
  EXPECT_EQ(choice(1, 1262, 81, 4), "host_simd{mode=223}");
  EXPECT_EQ(choice(1, 27, 85'334, 4), "host_simd{mode=223}");
  for (const auto& got :
       {choice(1, 23, 89'707, 8), choice(1, 41, 243'902, 8), choice(21, 74, 134, 8)})
    EXPECT_TRUE(kIsOfAmd ? got == "host_simd{mode=223}" : got.starts_with("host_permute")) << got;
  EXPECT_EQ(choice(1, 5130, 48, 16), "host_simd{mode=223}");
  EXPECT_EQ(choice(1, 617'283, 81, 2), "host_simd{mode=223}");
  EXPECT_EQ(choice(1, 54, 67'655, 2), "host_simd{mode=223}");
  EXPECT_EQ(choice(1, 240, 28'123, 2), "host_simd{mode=223}");
  EXPECT_EQ(choice(1, 300, 301, 2), "host_simd{mode=223}");
}

// They are read as a copy reads, where the processor keeps up with it.
TEST(HostEstimate, RowsThatAreLinesGoByPanelsOnAmd) {
  EXPECT_EQ(choice(1, 1'000'000, 16, 4) == "host_simd{mode=223}", kIsOfAmd);
  EXPECT_EQ(choice(1, 136'733, 8, 8) == "host_simd{mode=223}", kIsOfAmd);
  EXPECT_EQ(choice(1, 674'469, 4, 16) == "host_simd{mode=223}", kIsOfAmd);
  // Bytes take longer by panels, and gaps are read as well.
  EXPECT_EQ(choice(1, 772'280, 64, 1), "host_skinny{stream=1,ahead=2}");
  Problem problem = matrix(489'610, 16, 4);
  problem.in_ld = 17;
  EXPECT_EQ(choice(problem), "host_skinny{stream=1,ahead=2}");
}

// Each is a place of memory, to which panels come in turn.
TEST(HostEstimate, ShortRowsThatLieApartGoByPanels) {
  Problem problem = in_rows(3138, 9, 16, 38, 3195);
  EXPECT_EQ(choice(problem, 16), "host_simd{mode=223}");
  problem = in_rows(401'976, 12, 8, 88, 401'977);
  EXPECT_EQ(choice(problem, 16), "host_simd{mode=223}");
}

// Strips of panels across few rows of 16 bytes have few lines. Small matrices have many ends.
TEST(HostEstimate, ShortStripsAndSmallMatricesAreNotForPanelsAcross) {
  EXPECT_EQ(choice(matrix(8, 500'000, 16), 16).substr(0, 12), "host_permute");
  Problem problem = matrix(8, 295, 16);
  problem.batch = {{6142, 2360, 2360}};
  EXPECT_EQ(choice(problem, 16).substr(0, 12), "host_permute");
  problem = matrix(16, 100, 8);
  problem.batch = {{3000, 1600, 1600}};
  EXPECT_EQ(choice(problem, 16).substr(0, 12), "host_permute");
}

// Lines that two output rows share are carried. Rows of whole lines share none.
TEST(HostEstimate, OtherMatricesAreOfHostSimd) {
  const bool are_narrow = kIsOfAmd;               // the strips
  const bool are_long = kIsOfAmd && !kHasAvx512;  // the runs
  EXPECT_EQ(choice(1, 801, 777, 2), are_narrow ? "host_simd{mode=222}" : "host_simd{mode=220}");
  EXPECT_EQ(choice(1, 4095, 4097, 4), are_long     ? "host_simd{mode=520}"
                                      : are_narrow ? "host_simd{mode=222}"
                                                   : "host_simd{mode=220}");
  // Wide elements carry less by long runs, on any processor. Some foresee their lines.
  const std::string wide = kIsOfAmd && kHasAvx512 ? "host_simd{mode=520}" : "host_simd{mode=500}";
  EXPECT_EQ(choice(1, 1001, 1003, 8), wide);
  EXPECT_EQ(choice(1, 2501, 2503, 16), wide);
  EXPECT_EQ(choice(1, 352, 352, 4), "host_simd{mode=220}");
  EXPECT_EQ(choice(1, 128, 78'080, 4), "host_simd{mode=220}");
}

// Whatever the order of their rows, unless one is short.
TEST(HostEstimate, RowsThatLieBackwardsAreOfHostSimd) {
  const Problem forwards = matrix(4096, 2048, 4);
  Problem backwards = forwards;
  backwards.in_ld = -2048;
  EXPECT_EQ(choice(backwards), choice(forwards));
  EXPECT_EQ(choice(in_rows(801, 777, 2, -777, 801)), choice(1, 801, 777, 2));
  Problem batch = matrix(200, 300, 4);
  batch.in_ld = -300;
  batch.batch = {{50, 60'000, 60'000}};
  EXPECT_EQ(choice(batch).substr(0, 9), "host_simd");
  EXPECT_EQ(choice(in_rows(100'000, 3, 8, -3, 100'000)).substr(0, 12), "host_permute");
}

TEST(HostEstimate, PermutationsHaveLongRunsWhereLinesAreShared) {
  EXPECT_EQ(choice({65, 413, 2, 9, 2}, {1, 3, 2, 0, 4}, 8),
            "host_permute{run=2048,in_run=256,stream=1}");
  // Whole lines need less, and the first level holds a small tile.
  EXPECT_EQ(choice({28, 48, 28, 28, 48}, {4, 0, 3, 2, 1}, 4),
            "host_permute{run=512,in_run=256,stream=1}");
  // The first tile is not asked for, and a small problem has few.
  EXPECT_EQ(choice({6, 3, 2, 2, 190, 2}, {1, 3, 2, 0, 4, 5}, 8),
            "host_permute{run=1024,in_run=256,stream=1}");
}

// Runs of wide units are dearer, and so are large tiles of runs that are gathered.
TEST(HostEstimate, UnitsDecideOnTheRunsOfAPermutation) {
  EXPECT_EQ(choice(1, 9849, 35, 48), "host_permute{run=2048,in_run=256,stream=1}");
  EXPECT_EQ(choice({22, 71, 367}, {1, 0, 2}, 2), "host_permute{run=512,in_run=256,stream=1}");
}

// The begin of a tile costs as well, which longer runs have fewer of.
TEST(HostEstimate, SmallTilesHaveManyBegins) {
  EXPECT_EQ(choice({8, 3, 2, 2, 2, 6, 52, 2}, {5, 1, 7, 2, 4, 0, 3, 6}, 16).substr(0, 21),
            "host_permute{run=2048");
}

// Output rows of some hundred bytes have lines of their own at both ends; host_permute joins them.
TEST(HostEstimate, MatricesOfOddUnitsAreOfHostOdd) {
  EXPECT_EQ(choice(1, 7001, 7003, 3).substr(0, 8), "host_odd");
  EXPECT_EQ(choice(1, 4001, 4003, 12).substr(0, 8), "host_odd");
  EXPECT_EQ(choice(16, 2927, 104, 28).substr(0, 8), "host_odd");
  EXPECT_EQ(choice(1, 600, 11, 12).substr(0, 8), "host_odd");
  // Short rows that follow each other are read straight on.
  EXPECT_EQ(choice(1, 155'407, 7, 12).substr(0, 8), "host_odd");
  EXPECT_EQ(choice(1, 268'413, 6, 9).substr(0, 8), "host_odd");
  EXPECT_EQ(choice(1, 46, 7168, 5).substr(0, 12), "host_permute");
  EXPECT_EQ(choice(42, 19, 2986, 18).substr(0, 12), "host_permute");
  EXPECT_EQ(choice(1, 2724, 8, 5).substr(0, 12), "host_permute");
}

TEST(HostEstimate, OddUnitsThatAreSharedOutAreStoredDirectly) {
  EXPECT_EQ(choice(1, 247'037, 4, 7), "host_permute{run=1024,in_run=256,stream=0}");
  // Where the input is not read straight through, they hold nothing up.
  Problem problem = in_rows(13, 4033, 6, 4045, 143);
  EXPECT_EQ(choice(problem), "host_permute{run=1024,in_run=256,stream=1}");
}

// A tile of host_permute is soon done there.
TEST(HostEstimate, ShortRunsOfFatElementsAreOfHostFat) {
  Problem problem = in_rows(3, 5088, 48, 5128, 163);
  EXPECT_EQ(choice(problem), "host_fat{stream=1}");
}

TEST(HostEstimate, LoopsOverSmallLaunchesAreSlowerThanOnePermutation) {
  const std::string permuted = "host_permute{run=";
  EXPECT_EQ(choice({2, 1562, 11, 3, 2, 4}, {1, 0, 4, 3, 2, 5}, 16).substr(0, permuted.size()),
            permuted);
  EXPECT_EQ(choice({48, 28, 28, 4, 352}, {4, 3, 2, 1, 0}, 4).substr(0, permuted.size()), permuted);
  EXPECT_EQ(choice({28, 28, 48, 4, 352}, {1, 3, 0, 4, 2}, 4).substr(0, permuted.size()), permuted);
}

}  // namespace
}  // namespace xpose
