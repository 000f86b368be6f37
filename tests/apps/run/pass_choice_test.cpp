// Two passes are taken where runs of one are short for the place where they lie.
#include "run/pass_choice.hpp"

#include <gtest/gtest.h>

namespace xpose::app {
namespace {

constexpr std::uint64_t kKiB = 1024;
constexpr std::uint64_t kMiB = kKiB * kKiB;
constexpr InputPlace kHeads = {kMiB, false};

bool are_two_taken(const RunLengths& runs, std::uint64_t piece, const InputPlace& place) {
  return are_two_faster(one_pass_cost(runs, place), two_pass_cost(piece, place, place));
}

TEST(PassChoice, LongRunsNeedOnePass) {
  for (const InputPlace& place : {kOnDisk, kHeads, kInMemory})
    EXPECT_FALSE(are_two_taken({2 * kMiB, 2 * kMiB}, 64 * kMiB, place));
}

TEST(PassChoice, ShortRunsOnEitherSideNeedTwo) {
  EXPECT_TRUE(are_two_taken({kKiB, 16 * kMiB}, kMiB, kOnDisk));
  EXPECT_TRUE(are_two_taken({16 * kMiB, kKiB}, kMiB, kOnDisk));
}

TEST(PassChoice, HeadsThatMoveNeedLongerRuns) {
  const RunLengths runs = {28 * kKiB, 28 * kKiB};
  EXPECT_FALSE(are_two_taken(runs, 2 * kMiB, kOnDisk));
  EXPECT_TRUE(are_two_taken(runs, 2 * kMiB, kHeads));
}

TEST(PassChoice, TilesWithShortRunsTakeTurns) {
  EXPECT_TRUE(are_faster_in_turn({{400 * kMiB, 400 * kMiB}, 1}, {{20 * kKiB, 200 * kMiB}, 2}));
  EXPECT_TRUE(are_faster_in_turn({{100 * kMiB, 100 * kMiB}, 1}, {{3 * kKiB, 16 * kMiB}, 7}));
  EXPECT_TRUE(are_faster_in_turn({{16 * kKiB, 500 * kMiB}, 2}, {{8 * kKiB, 250 * kMiB}, 5}));
}

TEST(PassChoice, TilesWithLongRunsDoNot) {
  EXPECT_FALSE(are_faster_in_turn({{kMiB, kMiB}, 2}, {{kMiB / 2, kMiB / 2}, 3}));
  EXPECT_FALSE(are_faster_in_turn({{190 * kMiB, 190 * kMiB}, 1}, {{24 * kKiB, 24 * kMiB}, 9}));
  EXPECT_FALSE(are_faster_in_turn({{53 * kKiB, 53 * kKiB}, 6}, {{37 * kKiB, 37 * kKiB}, 12}));
}

TEST(PassChoice, ManyTilesAreMovedAtOnce) {
  EXPECT_FALSE(are_faster_in_turn({{13 * kKiB, 13 * kKiB}, 7}, {{8 * kKiB, 8 * kKiB}, 20}));
}

TEST(PassChoice, ShortRunsInMemoryNeedOne) {
  EXPECT_FALSE(are_two_taken({kKiB, kMiB}, 2 * kMiB, kInMemory));
}

TEST(PassChoice, TwoPassesOfShortPiecesAreNoBetter) {
  EXPECT_FALSE(are_two_taken({8 * kKiB, 8 * kKiB}, kKiB, kOnDisk));
}

TEST(PassChoice, ShortPiecesOfAScratchFileOnADiskCostTwoPasses) {
  constexpr InputPlace kScratch = {kInMemory.run_bytes, false};
  EXPECT_LT(two_pass_cost(kKiB, kInMemory, kInMemory), 3);
  EXPECT_NEAR(two_pass_cost(kKiB, kInMemory, kScratch) - two_pass_cost(kMiB, kInMemory, kScratch),
              8, 0.01);
}

TEST(PassChoice, TwoPassesOfLongPiecesCostTwiceAsMuch) {
  EXPECT_NEAR(two_pass_cost(64 * kMiB, kOnDisk, kOnDisk),
              2 * one_pass_cost({64 * kMiB, 64 * kMiB}, kOnDisk), 0.001);
}

}  // namespace
}  // namespace xpose::app
