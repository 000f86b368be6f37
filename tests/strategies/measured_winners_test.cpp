// What Policy::estimate chooses for problems of `xpose bench --random`, against what won there.
// Each test has a mechanism that its quotes count. Times in copies are in the plugins' NOTES.md.
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "loaded_plugins.hpp"
#include "problem/normal_form.hpp"
#include "quotes_here.hpp"

namespace xpose {
namespace {

using Variants = std::set<std::string>;

constexpr Device kCuda = {DeviceKind::cuda, 0};

std::string choice(Problem problem, std::uint32_t alignment) {
  problem.in_alignment = problem.out_alignment = alignment;
  const Problem normal = normal_form(problem);
  QuoterHere quoter(normal);
  for (const Candidate& candidate :
       candidates(loaded_plugins().strategies, normal, device_of(DeviceKind::cuda), {}, quoter))
    if (candidate.is_estimate) return to_string(candidate.variant);
  return "nothing";
}

std::string strategy(const std::string& variant) { return variant.substr(0, variant.find('{')); }

Problem in_rows(std::int64_t rows, std::int64_t cols, std::uint32_t bytes, std::int64_t in_ld,
                std::int64_t out_ld) {
  Problem problem = matrix(rows, cols, bytes, kCuda);
  problem.in_ld = in_ld;
  problem.out_ld = out_ld;
  return problem;
}

Problem batch_of(std::int64_t count, std::int64_t rows, std::int64_t cols, std::uint32_t bytes) {
  Problem problem = matrix(rows, cols, bytes, kCuda);
  problem.batch = {{count, rows * cols, rows * cols}};
  return problem;
}

Problem permuted(const std::vector<std::int64_t>& shape, const std::vector<int>& axes,
                 std::uint32_t bytes) {
  return permutation(shape, axes, bytes, kCuda);
}

// Two leave too few loads in flight where each vector of a run is of two words.
TEST(MeasuredWinners, ManyVectorsAThreadOnTheWayBackFromUnalignedRuns) {
  EXPECT_EQ(choice(matrix(3, 3'244'884, 2, kCuda), 16), "skinny{threads=128,vectors=4}");
  EXPECT_EQ(choice(matrix(2, 2'583'719, 4, kCuda), 256), "skinny{threads=128,vectors=4}");
}

TEST(MeasuredWinners, ManyVectorsAThreadOfSmallElementsInABatch) {
  EXPECT_EQ(choice(batch_of(633'421, 3, 6, 2), 256), "batch{threads=128,vectors=4}");
  EXPECT_EQ(choice(batch_of(88'355, 12, 8, 2), 256), "batch{threads=128,vectors=4}");
}

// A block has a whole number of vectors of a row, and the last one of each matrix few of them.
TEST(MeasuredWinners, LanesOfBatchesWhoseLastBlocksWouldBeNearlyEmpty) {
  EXPECT_EQ(choice(batch_of(27'646, 91, 177, 1), 16), "lanes{width=0}");
  EXPECT_EQ(choice(batch_of(252, 84, 269, 1), 4), "lanes{width=0}");
  EXPECT_EQ(choice(batch_of(1'329, 102, 291, 1), 256).substr(0, 5), "lanes");
  EXPECT_EQ(choice(batch_of(248, 84, 89, 2), 8), "batch{threads=256,vectors=4}");
  EXPECT_EQ(choice(batch_of(1'606, 81, 245, 1), 8).substr(0, 6), "skinny");
}

// Tiles of many small matrices have the ends of many rows of the output.
TEST(MeasuredWinners, LanesOfBatchesOfHalfwordsIntoShortRows) {
  EXPECT_EQ(choice(batch_of(22'231, 210, 97, 2), 16), "lanes{width=56}");
  EXPECT_EQ(choice(batch_of(428, 217, 266, 2), 8), "lanes{width=56}");
  EXPECT_EQ(choice(batch_of(1'057, 445, 122, 2), 256).substr(0, 9), "unaligned");
}

// Rows of the output as short as a tile lie near each other, however wide it is, and tiles are
// counted with the sector before each.
TEST(MeasuredWinners, LanesWhereRowsOfTheOutputAreShortAndUnalignedWhereTheyAreLong) {
  const Variants wide = {"lanes{width=112}", "lanes{width=240}"};
  EXPECT_TRUE(wide.contains(choice(matrix(226, 1'117'164, 1, kCuda), 16)));
  EXPECT_EQ(choice(in_rows(346'935, 770, 1, 1023, 346'949), 16).substr(0, 9), "unaligned");
}

// A lane's rows are read the further apart the wider the gaps, a few bytes of a sector each.
TEST(MeasuredWinners, LanesOfStripsWithGapsButNotOfFewBytesARow) {
  EXPECT_EQ(choice(in_rows(16'243'522, 30, 2, 42, 16'243'536), 2), "lanes{width=56}");
  EXPECT_EQ(choice(in_rows(8'618'099, 55, 2, 62, 8'618'246), 16), "lanes{width=56}");
  EXPECT_EQ(choice(in_rows(1'096'653, 16, 1, 227, 1'096'675), 1).substr(0, 8), "smem_pad");
}

TEST(MeasuredWinners, LowTilesWhereTheLastOneWouldBeNearlyEmpty) {
  EXPECT_EQ(choice(matrix(259, 22'371, 1, kCuda), 16), "unaligned{width=256,height=64}");
}

// Along the input the next tile along the output follows after more than the cache holds.
TEST(MeasuredWinners, AlongTheOutputWhereEndsOfRunsWouldLeaveTheCache) {
  EXPECT_EQ(choice(permuted({3, 690, 623, 73, 2}, {3, 0, 2, 4, 1}, 2), 2),
            "permute{run=256,along_input=0,shared=1}");
}

TEST(MeasuredWinners, LargeTilesWhereTheTableOfPlacesTakesLongerThanTheLoads) {
  const std::vector<int> order = {22, 4,  1,  9, 11, 17, 16, 18, 20, 6,  0, 8,
                                  14, 12, 15, 3, 5,  21, 7,  2,  13, 19, 10};
  EXPECT_EQ(choice(permuted(std::vector<std::int64_t>(order.size(), 2), order, 24), 16),
            "permute{run=512,along_input=0,shared=1}");
}

TEST(MeasuredWinners, ShortKeptRunsThatEndWithinSectorsPassSharedMemory) {
  const Variants shared = {"permute{run=512,along_input=0,shared=1}",
                           "permute{run=512,along_input=1,shared=1}"};
  EXPECT_TRUE(shared.contains(choice(permuted({19'375, 15, 5, 4, 6}, {3, 1, 0, 2, 4}, 16), 16)));
  EXPECT_TRUE(
      shared.contains(choice(permuted({8, 1097, 16, 2, 9, 4}, {2, 3, 1, 4, 0, 5}, 16), 16)));
}

TEST(MeasuredWinners, FatElementsInShortRowsWithGapsGoByPermute) {
  EXPECT_EQ(choice(permuted({5, 14, 8613}, {2, 1, 0}, 32), 16).substr(0, 7), "permute");
}

// Where a batch has small elements, others lose more than lanes do.
TEST(MeasuredWinners, LanesOfBatchesOfSmallElements) {
  EXPECT_EQ(choice(batch_of(853, 448, 170, 1), 2), "lanes{width=112}");
  EXPECT_EQ(choice(batch_of(549, 377, 497, 1), 1), "lanes{width=56}");
  EXPECT_EQ(choice(batch_of(338, 116, 217, 2), 16), "lanes{width=112}");
  EXPECT_EQ(choice(batch_of(123, 92, 1173, 1), 8), "lanes{width=112}");
}

TEST(MeasuredWinners, NotTilesWhoseShortOutputRowsEndWithinAVector) {
  const std::string short_rows = choice(in_rows(5, 27'102'313, 4, 27'102'316, 52), 16);
  EXPECT_EQ(short_rows.substr(0, 4), "smem") << short_rows;
  const std::string longer = choice(in_rows(35, 233'495, 8, 233'498, 50), 256);
  EXPECT_NE(longer.substr(0, 4), "tile") << longer;
}

TEST(MeasuredWinners, NotSmallTilesWhereRowsOf16ByteElementsShareSectors) {
  EXPECT_EQ(choice(matrix(98, 89'707, 16, kCuda), 16), "unaligned{width=512,height=256}");
}

TEST(MeasuredWinners, NotDirectlyWhereManyAxesTakeLongerThanMemory) {
  const std::vector<int> order = {15, 8, 5, 17, 13, 1, 16, 14, 10, 12, 9, 3, 4, 0, 11, 18, 6, 2, 7};
  EXPECT_EQ(choice(permuted(std::vector<std::int64_t>(order.size(), 2), order, 48), 256),
            "permute{run=256,along_input=0,shared=1}");
}

TEST(MeasuredWinners, LargeTilesWhereEachIsFoundByManyAxes) {
  const std::vector<int> order = {5,  8,  12, 15, 6,  11, 17, 7, 0, 3,  2, 21,
                                  18, 14, 20, 9,  16, 10, 22, 1, 4, 19, 13};
  EXPECT_EQ(choice(permuted(std::vector<std::int64_t>(order.size(), 2), order, 12), 4),
            "permute{run=512,along_input=0,shared=1}");
}

TEST(MeasuredWinners, ShortKeptRunsAtOddAddressesPassSharedMemory) {
  EXPECT_EQ(choice(permuted({444, 6, 7, 3, 10}, {3, 2, 1, 0, 4}, 7), 256),
            "permute{run=128,along_input=0,shared=1}");
}

// A matrix of fewer vectors than a block has threads leaves the others idle.
TEST(MeasuredWinners, SeveralMatricesABlockWhereOneLeavesThreadsIdle) {
  EXPECT_EQ(choice(batch_of(990, 22, 93, 2), 2), "batch{threads=256,vectors=4}");
}

TEST(MeasuredWinners, PiecesOfShortOutputRowsJoinInTheirSector) {
  for (const std::int64_t cols : {36'755'972, 58'394'736})
    EXPECT_EQ(choice(in_rows(7, cols, 2, cols + 80, 8), 256), "unroll4_row{block_x=16,block_y=8}");
  EXPECT_EQ(choice(in_rows(4, 23'866'995, 1, 23'867'101, 9), 256),
            "unroll4_row{block_x=16,block_y=8}");
}

TEST(MeasuredWinners, NarrowBlocksWhereWideOnesWouldHaveIdleThreads) {
  const std::string narrow = choice(in_rows(1'912'580, 9, 16, 48, 1'912'593), 16);
  EXPECT_EQ(narrow.substr(0, 31), "smem_pad{block_x=16,block_y=8,t") << narrow;
  const std::string short_rows = choice(in_rows(73'904, 6, 16, 22, 74'002), 256);
  EXPECT_NE(short_rows.substr(0, 12), "smem_unroll2") << short_rows;
}

TEST(MeasuredWinners, SimpleKernelsOfFewBytesWithAShortSide) {
  EXPECT_EQ(strategy(choice(matrix(48'147, 2, 1, kCuda), 256)), "unroll4_col");
  EXPECT_EQ(strategy(choice(matrix(83'410, 2, 4, kCuda), 256)), "unroll4_col");
  EXPECT_EQ(strategy(choice(batch_of(198, 114, 4, 2), 2)), "naive_col");
  EXPECT_EQ(strategy(choice(batch_of(44, 2, 889, 8), 8)), "unroll4_row");
}

TEST(MeasuredWinners, HighBlocksOfNarrowElementsWithAShortSide) {
  const std::string high = "unroll4_col{block_x=16,block_y=32}";
  EXPECT_EQ(choice(matrix(66'774, 23, 4, kCuda), 256), high);
  EXPECT_EQ(choice(matrix(1'674'267, 28, 4, kCuda), 16), high);
}

TEST(MeasuredWinners, FewSmallElementsThatMightBeJoinedAre) {
  const std::string joined = "permute{run=256,along_input=0,shared=2}";
  EXPECT_EQ(choice(permuted({87, 2, 5, 22, 2, 4}, {2, 0, 4, 5, 3, 1}, 2), 256), joined);
  EXPECT_EQ(choice(permuted({10, 13, 2, 5, 5, 37, 4}, {5, 0, 6, 3, 2, 4, 1}, 1), 256), joined);
}

TEST(MeasuredWinners, NotByColumnsOfInputRowsThatAreWholeLinesApart) {
  EXPECT_NE(strategy(choice(matrix(1024, 1024, 1, kCuda), 256)), "unroll4_col");
  EXPECT_EQ(strategy(choice(matrix(1024, 1024, 8, kCuda), 256)), "tile");
  EXPECT_EQ(strategy(choice(matrix(2048, 2048, 4, kCuda), 256)), "tile");
  EXPECT_EQ(strategy(choice(matrix(2048, 2048, 1, kCuda), 256)), "tile");
  EXPECT_EQ(strategy(choice(matrix(1024, 4096, 1, kCuda), 256)), "tile");
}

TEST(MeasuredWinners, NotTilesThatManyThinMatricesFillInPart) {
  Problem batch = in_rows(8, 3, 16, 6, 9);
  batch.batch = {{1'260'713, 8 * 6, 3 * 9}};
  EXPECT_EQ(choice(batch, 16).substr(0, 7), "permute");
}

TEST(MeasuredWinners, NotTheLargestBlocksOfSmallMatrices) {
  EXPECT_EQ(choice(permuted({8, 3321, 6, 2, 8}, {0, 2, 1, 3, 4}, 1), 256),
            "naive_col{block_x=32,block_y=8}");
}

// A block reads whole rows, and skinny's gaps make lanes meet in banks beside its vectors.
TEST(MeasuredWinners, NarrowRowsOfWideElementsGoByColumns) {
  EXPECT_EQ(choice(matrix(2'199'044, 12, 8, kCuda), 8), "unroll4_col{block_x=32,block_y=16}");
  EXPECT_EQ(choice(matrix(9'642'540, 12, 8, kCuda), 8), "unroll4_col{block_x=32,block_y=16}");
  EXPECT_EQ(choice(matrix(2'380'081, 10, 8, kCuda), 256), "unroll4_col{block_x=32,block_y=16}");
}

TEST(MeasuredWinners, ManyVectorsAThreadOfBytesIntoAnEvenNumberOfFewRuns) {
  for (const auto& [rows, cols] : {std::pair{42'600'274, 2}, {4'229'471, 8}, {18'933'385, 4}})
    EXPECT_EQ(choice(matrix(rows, cols, 1, kCuda), 1), "skinny{threads=128,vectors=4}") << rows;
}

TEST(MeasuredWinners, FewElementsOfTwoBytesAreJoined) {
  const std::vector<int> order = {4, 11, 7, 10, 2, 15, 13, 3, 0, 16, 18, 17, 9, 14, 12, 5, 8, 6, 1};
  EXPECT_EQ(choice(permuted(std::vector<std::int64_t>(order.size(), 2), order, 2), 16),
            "permute{run=256,along_input=0,shared=2}");
  EXPECT_EQ(choice(permuted({632, 4, 7, 6, 3, 11}, {0, 5, 3, 2, 4, 1}, 2), 2),
            "permute{run=128,along_input=0,shared=2}");
}

TEST(MeasuredWinners, SmallTilesOfRunsOfSmallElements) {
  const std::string small = "permute{run=128,along_input=0,shared=1}";
  EXPECT_EQ(choice(permuted({9, 2, 12, 101, 8, 12, 5}, {5, 2, 3, 1, 0, 4, 6}, 1), 256), small);
  EXPECT_EQ(choice(permuted({2, 2, 3, 5, 7, 210, 21, 4}, {5, 6, 0, 3, 1, 7, 4, 2}, 1), 1), small);
  EXPECT_EQ(choice(permuted({2, 10, 7, 7, 3, 11, 24}, {3, 1, 0, 6, 2, 5, 4}, 14), 256), small);
}

TEST(MeasuredWinners, ShapesOfTilesWhereAShortSideIsLongerThanOne) {
  EXPECT_EQ(choice(matrix(117, 1'748'957, 4, kCuda), 16), "unaligned{width=512,height=512}");
  EXPECT_EQ(choice(matrix(256'742, 65, 4, kCuda), 4), "unaligned{width=512,height=512}");
  EXPECT_EQ(choice(matrix(240, 704'961, 2, kCuda), 256), "unaligned{width=512,height=256}");
}

TEST(MeasuredWinners, NotElementByElementIntoRowsThatLieApart) {
  EXPECT_EQ(choice(in_rows(3, 1'555'693, 1, 1'555'695, 53), 1).substr(0, 16), "smem_unroll2_pad");
  Problem batch = in_rows(3, 2577, 4, 2581, 33);
  batch.batch = {{100, 3 * 2581, 2577 * 33}};
  EXPECT_EQ(choice(batch, 16).substr(0, 16), "smem_unroll2_pad");
}

TEST(MeasuredWinners, NotByTilesThatSpanTheGapsOfABatch) {
  Problem batch = in_rows(435, 4, 4, 5, 437);
  batch.batch = {{11'998, 435 * 5, 4 * 437}};
  EXPECT_EQ(choice(batch, 256), "unroll4_col{block_x=16,block_y=8}");
  batch = in_rows(3, 184, 2, 204, 5);
  batch.batch = {{2155, 3 * 204, 184 * 5}};
  EXPECT_EQ(choice(batch, 256), "unroll4_row{block_x=16,block_y=8}");
}

Problem batch_in_rows(std::int64_t count, std::int64_t rows, std::int64_t cols, std::int64_t in_ld,
                      std::int64_t out_ld, std::uint32_t bytes = 1) {
  Problem problem = in_rows(rows, cols, bytes, in_ld, out_ld);
  problem.batch = {{count, rows * in_ld, cols * out_ld}};
  return problem;
}

TEST(MeasuredWinners, NotTheTextbooksKernelsIntoShortRowsNearEachOther) {
  const auto first = [](const Problem& problem, std::uint32_t alignment) {
    return choice(problem, alignment).substr(0, 15);
  };
  EXPECT_EQ(first(batch_in_rows(1211, 10, 13'432, 13'454, 13), 256), "permute{run=256");
  EXPECT_EQ(first(batch_in_rows(19, 7, 179'520, 179'537, 8), 16), "permute{run=256");
  EXPECT_EQ(first(batch_in_rows(374, 5, 17'645, 17'650, 8), 16), "permute{run=256");
}

TEST(MeasuredWinners, NotByTilesThatSpanTheGapsOfShortRows) {
  const auto first = [](const Problem& problem, std::uint32_t alignment) {
    return choice(problem, alignment).substr(0, 11);
  };
  EXPECT_EQ(first(batch_in_rows(61, 1643, 14, 25, 1645, 2), 2), "unroll4_col");
  EXPECT_EQ(first(batch_in_rows(152, 455, 9, 14, 494, 2), 16), "unroll4_col");
  EXPECT_EQ(first(batch_in_rows(58, 2613, 2, 7, 2618, 4), 16), "unroll4_col");
}

TEST(MeasuredWinners, NotLanesOfSmallBatchesWithGaps) {
  EXPECT_EQ(choice(batch_in_rows(157, 174, 160, 174, 185), 256),
            "permute{run=256,along_input=0,shared=2}");
  EXPECT_EQ(choice(batch_in_rows(86, 182, 365, 372, 209), 1),
            "permute{run=256,along_input=0,shared=2}");
}

}  // namespace
}  // namespace xpose
