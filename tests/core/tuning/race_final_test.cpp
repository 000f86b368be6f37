// The final: the winner and the estimate in rounds of their own.
#include <gtest/gtest.h>

#include <cmath>

#include "race_fixture.hpp"
#include "tuning/race.hpp"

namespace xpose {
namespace {

class RaceFinal : public RaceTest {
 protected:
  RaceFinal() {
    candidates = {candidate("guess"), candidate("best"), candidate("copy", 900, Role::copy)};
    candidates[0].is_estimate = true;
    runner.variants["guess"].seconds = 1.6e-3;
    runner.variants["copy"].seconds = 0.5e-3;
  }
};

TEST_F(RaceFinal, GivesTheEstimateAsManySamplesAsTheWinner) {
  const TuneReport report = run();
  EXPECT_EQ(winner(report), "best");
  for (const char* name : {"guess", "best", "copy"})
    EXPECT_EQ(trial(report, name).timing->samples, policy.rounds_to_compare) << name;
}

TEST_F(RaceFinal, IsNotHeldWhereTheEstimateWins) {
  runner.variants["guess"].seconds = 0.9e-3;
  const TuneReport report = run();
  EXPECT_EQ(winner(report), "guess");
  EXPECT_EQ(report.rounds, policy.rounds_to_compare);
}

TEST_F(RaceFinal, TheEstimateWinsATie) {
  candidates[0].prior_rank = 200;
  runner.variants["guess"].seconds = 1.015e-3;
  EXPECT_EQ(winner(run()), "guess");
  runner.variants["guess"].seconds = 1.03e-3;
  EXPECT_EQ(winner(run()), "best");
}

// Of many contestants the one with the luckiest samples leads.
TEST_F(RaceFinal, SamplesFromBeforeDoNotCount) {
  runner.variants["guess"].seconds = 1e-3;
  runner.variants["best"].seconds = 1.2e-3;
  for (int sample = 1; sample <= policy.rounds_to_compare; ++sample)
    runner.variants["best"].disturbed[sample] = 0.7;
  const TuneReport report = run();
  EXPECT_EQ(winner(report), "guess");
  EXPECT_DOUBLE_EQ(trial(report, "best").timing->median, 1.2e-3);
}

TEST_F(RaceFinal, RoundsWithoutTheEstimateAreNotNumbers) {
  const TuneReport report = run();
  const std::vector<double>& guess = trial(report, "guess").rounds;
  ASSERT_EQ(guess.size(), trial(report, "best").rounds.size());
  ASSERT_EQ(guess.size(), 10U);
  for (std::size_t i = 0; i < guess.size(); ++i)
    EXPECT_EQ(std::isnan(guess[i]), i != 0 && i < 5) << i;  // dropped after the first
}

TEST_F(RaceFinal, TheRoofIsTheCopyOfTheFinal) {
  candidates.push_back(candidate("lucky_copy", 901, Role::copy));
  runner.variants["lucky_copy"].seconds = 0.6e-3;
  for (int sample = 1; sample <= policy.rounds_to_compare; ++sample)
    runner.variants["lucky_copy"].disturbed[sample] = 0.75;
  const TuneReport report = run();
  ASSERT_TRUE(report.roof);
  const Trial& roof = report.trials[*report.roof];
  EXPECT_EQ(roof.variant.strategy, "lucky_copy");
  EXPECT_DOUBLE_EQ(roof.timing->median, 0.6e-3);
}

// Nine rounds would say little of times that scatter so.
TEST_F(RaceFinal, GoesOnWhileItIsUndecided) {
  runner.variants["guess"].seconds = 1e-3;
  runner.variants["best"].seconds = 0.95e-3;
  for (int sample = policy.rounds_to_compare; sample < 200; ++sample)
    runner.variants["guess"].disturbed[sample] = sample % 2 == 0 ? 1.4 : 0.7;
  const TuneReport report = run();
  EXPECT_EQ(trial(report, "best").timing->samples, policy.final_rounds);
  EXPECT_GT(policy.final_rounds, 50);
}

TEST_F(RaceFinal, IsNotHeldWhereTheBudgetDoesNotLast) {
  options.budget_seconds = 12e-3;  // trying takes 6.2 ms, the final 9.3
  const TuneReport report = run();
  EXPECT_EQ(winner(report), "best");
  EXPECT_EQ(trial(report, "guess").timing->samples, 1);
}

TEST_F(RaceFinal, LeavesItsTimeToRounds) {
  runner.slow_down = [](int) { return 10.0; };
  options.budget_seconds = 0.25;  // trying takes 62 ms, a round then 15, the final three of 31
  const TuneReport report = run();
  EXPECT_EQ(winner(report), "best");
  EXPECT_GE(trial(report, "guess").timing->samples, policy.samples_for_median);
}

// The others raced until the final, so one of them may be faster than the estimate.
TEST_F(RaceFinal, WhoWasSetAsideTakesThePlaceOfAWinnerThatIsWrong) {
  candidates.push_back(candidate("second"));
  runner.variants["second"].seconds = 1.01e-3;
  runner.variants["best"].later_verdict = Verdict::wrong_result;
  const TuneReport report = run();
  EXPECT_EQ(winner(report), "second");
  EXPECT_EQ(trial(report, "best").verdict, Verdict::wrong_result);
}

TEST_F(RaceFinal, AnEstimateThatFailsInItIsNoWinner) {
  runner.variants["guess"].later_timing_verdict = Verdict::device_error;
  const TuneReport report = run();
  EXPECT_EQ(winner(report), "best");
  EXPECT_EQ(trial(report, "guess").verdict, Verdict::device_error);
}

}  // namespace
}  // namespace xpose
