#include "report/size_sweep.hpp"

#include <gtest/gtest.h>

#include "fixture.hpp"

namespace xpose::app {
namespace {

TEST(SizeSweep, ScalesTheAreaAndKeepsTheRatio) {
  const Problem quarter = scaled(matrix(2048, 3072, 4), 0.5);
  EXPECT_EQ(quarter, matrix(1024, 1536, 4));
  const Problem small = scaled(matrix(2048, 3072, 4), 0.125);
  EXPECT_EQ(small.rows, 256);
  EXPECT_EQ(small.cols, 384);
}

TEST(SizeSweep, AwkwardShapesStayAwkward) {
  const Problem odd = scaled(matrix(4095, 4097, 4), 0.125);
  EXPECT_EQ(odd.rows, 511);
  EXPECT_EQ(odd.cols, 513);
}

TEST(SizeSweep, SmallShapesKeepAtLeastOneRow) {
  const Problem thin = scaled(matrix(2, 1000000, 4), 0.125);
  EXPECT_EQ(thin.rows, 1);
  EXPECT_EQ(thin.cols, 124992);  // a multiple of 64, as 1000000 is
}

TEST(SizeSweep, KeepsPaddingAndBatch) {
  Problem problem = matrix(1024, 2048, 2);
  problem.in_ld = 2056;
  problem.out_ld = 1032;
  problem.batch = {{3, 1024 * 2056, 2048 * 1032}};
  const Problem half = scaled(problem, 0.5);
  EXPECT_EQ(half.in_ld, 1032);
  EXPECT_EQ(half.out_ld, 520);
  ASSERT_EQ(half.batch.size(), 1U);
  EXPECT_EQ(half.batch[0], (BatchDim{3, 512 * 1032, 1024 * 520}));
}

TEST(SizeSweep, FollowsTheWinnerAndTheBestOfOtherStrategies) {
  const TuneReport report = fixture::tune(4096);
  const std::vector<Variant> best = fastest_variants(report, 3);
  ASSERT_EQ(best.size(), 3U);
  EXPECT_EQ(best[0], report.trials[2].variant);
  EXPECT_EQ(best[1], report.trials[3].variant);
  EXPECT_EQ(best[2], report.trials[5].variant);  // the second config of smem_pad is passed over
  EXPECT_TRUE(fastest_variants(TuneReport{}, 3).empty());
}

}  // namespace
}  // namespace xpose::app
