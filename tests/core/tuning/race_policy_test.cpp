// Each threshold of a race decides something: the same told trials end otherwise with another one.
#include "tuning/race_policy.hpp"

#include <gtest/gtest.h>

#include <type_traits>

#include "race_fixture.hpp"

namespace xpose {
namespace {

class RacePolicyTest : public RaceTest {
 protected:
  // Runs the race with one field changed, as if it were the first one.
  template <class Value>
  TuneReport run_with(Value RacePolicy::*field, std::type_identity_t<Value> value) {
    RacePolicy before = policy;
    policy.*field = value;
    runner.forget();
    TuneReport report = run();
    policy = before;
    return report;
  }
  TuneReport run_with_defaults() {
    runner.forget();
    return run();
  }
  // A candidate that takes `seconds`; with another one of its name, a second config.
  Candidate& add(const std::string& name, double seconds, double predicted = kNotPredicted) {
    candidates.push_back(
        candidate(name, name == "copy" ? 900 : 100, name == "copy" ? Role::copy : Role::transpose));
    Candidate& added = candidates.back();
    added.variant.config = {{"tile", static_cast<std::int64_t>(candidates.size())}};
    added.predicted = predicted;
    runner.variants[name].seconds = seconds;
    return added;
  }
};

TEST_F(RacePolicyTest, FarBehindRatioLeavesCandidatesOut) {
  add("right", 1e-3, 1);
  add("behind", 1e-3, 1.6);
  EXPECT_EQ(run_with_defaults().untried, 0U);
  EXPECT_EQ(run_with(&RacePolicy::far_behind_ratio, 1.5).untried, 1U);
}

TEST_F(RacePolicyTest, NearRatioKeepsTheOrderOfSecondConfigs) {
  for (int config = 0; config < 2; ++config) {
    add("b", 1.04e-3);
    add("a", 1e-3);
  }
  run_with_defaults();
  EXPECT_EQ(runner.order.substr(0, 4), "baba");
  run_with(&RacePolicy::near_ratio, 1.01);
  EXPECT_EQ(runner.order.substr(0, 4), "baab");
}

TEST_F(RacePolicyTest, HeldRatioLimitsTheExpectedTimeOfAShippedStrategy) {
  policy.far_behind_ratio = 1.1;
  add("copy", 1e-3);
  add("shipped", 3e-3, 1);
  add("rival", 2e-3, 2.5);
  EXPECT_EQ(run_with_defaults().untried, 1U);  // 2 are expected of the shipped one
  EXPECT_EQ(run_with(&RacePolicy::held_ratio, 3).untried, 0U);
}

TEST_F(RacePolicyTest, UnderestimateRatioLeavesOutALaunchThatCouldExceedTheBudget) {
  policy.far_behind_ratio = 100;
  add("copy", 1e-3);
  add("fast", 1e-3, 1);
  add("slow", 4e-3, 4);
  options.budget_seconds = 12e-3;  // 4 ms are spent when "slow" is met
  EXPECT_EQ(run_with_defaults().untried, 1U);
  EXPECT_EQ(run_with(&RacePolicy::underestimate_ratio, 1).untried, 0U);
}

TEST_F(RacePolicyTest, TryingShareLeavesTimeForRounds) {
  for (int config = 0; config < 10; ++config) add("a", 1e-3);
  options.budget_seconds = 21e-3;  // a try takes 2 ms
  EXPECT_EQ(run_with_defaults().untried, 3U);
  const TuneReport report = run_with(&RacePolicy::trying_share, 0.2);
  EXPECT_EQ(report.untried, 7U);
  EXPECT_GT(report.rounds, 1);
}

// Buffers that take long leave less to trying, not nothing to the rounds.
TEST_F(RacePolicyTest, LastTryShareLeavesTimeForRoundsAfterBuffers) {
  for (int config = 0; config < 20; ++config) add("a", 0.5e-3);
  options.budget_seconds = 40e-3;
  runner.preparing = 20.2e-3;  // a try takes 1 ms
  TuneReport report = run_with_defaults();
  EXPECT_EQ(report.untried, 10U);
  EXPECT_GE(report.rounds, 3);
  report = run_with(&RacePolicy::last_try_share, 1);
  EXPECT_EQ(report.untried, 0U);
  EXPECT_EQ(report.rounds, 1);
}

TEST_F(RacePolicyTest, HopelessRatioLeavesOutFurtherConfigs) {
  add("fast", 1e-3);
  add("slow", 2.5e-3);
  add("slow", 2.5e-3);
  EXPECT_EQ(run_with_defaults().untried, 0U);
  EXPECT_EQ(run_with(&RacePolicy::hopeless_ratio, 2).untried, 1U);
}

TEST_F(RacePolicyTest, SecondSampleShareLimitsSecondSamples) {
  add("fast", 1e-3);
  add("slow", 4e-3);
  options.budget_seconds = 0.1;
  run_with_defaults();
  EXPECT_EQ(runner.variants["slow"].timed, 2);
  run_with(&RacePolicy::second_sample_share, 0.03);
  EXPECT_EQ(runner.variants["slow"].timed, 1);
}

TEST_F(RacePolicyTest, SamplesForMedianProtectsAgainstOneDisturbedLaunch) {
  add("other", 1.2e-3);
  add("best", 1e-3);
  runner.variants["best"].disturbed = {{2, 4}};
  EXPECT_EQ(winner(run_with_defaults()), "best");
  EXPECT_EQ(winner(run_with(&RacePolicy::samples_for_median, 2)), "other");
}

TEST_F(RacePolicyTest, RacingShareEndsTheRounds) {
  for (const char* name : {"a", "b", "c", "d"}) add(name, 1e-3);
  options.budget_seconds = 20e-3;  // 8 ms to try them, 4 a round
  EXPECT_EQ(run_with_defaults().rounds, 3);
  EXPECT_EQ(run_with(&RacePolicy::racing_share, 0.5).rounds, 2);
}

TEST_F(RacePolicyTest, DropRatioEndsASlowContestantsRace) {
  add("a", 1e-3);
  add("slow", 1.4e-3);
  EXPECT_EQ(trial(run_with_defaults(), "slow").timing->samples, 5);
  EXPECT_EQ(trial(run_with(&RacePolicy::drop_ratio, 1.3), "slow").timing->samples, 1);
}

TEST_F(RacePolicyTest, RoundsToCompareDelaysPairedComparisons) {
  add("a", 1e-3);
  add("near", 1.1e-3);
  EXPECT_EQ(run_with_defaults().rounds, 5);
  EXPECT_EQ(run_with(&RacePolicy::rounds_to_compare, 2).rounds, 2);
}

TEST_F(RacePolicyTest, CertainErrorsKeepANoisyContestant) {
  add("a", 1e-3);
  add("noisy", 1e-3);
  runner.variants["noisy"].disturbed = {{2, 1.2}, {4, 1.2}, {6, 1.2}};
  options.max_rounds = 6;
  EXPECT_EQ(run_with_defaults().rounds, 6);
  EXPECT_EQ(run_with(&RacePolicy::certain_errors, 0).rounds, 5);
}

TEST_F(RacePolicyTest, TieExcessGivesAPreferredStrategyTheWin) {
  add("a", 1e-3).prior_rank = 50;
  add("preferred", 1.03e-3).prior_rank = 10;
  EXPECT_EQ(winner(run_with_defaults()), "a");
  EXPECT_EQ(winner(run_with(&RacePolicy::tie_excess, 0.05)), "preferred");
}

TEST_F(RacePolicyTest, ClockDropRatioDiscardsRounds) {
  add("copy", 1e-3);
  add("a", 1e-3);
  runner.variants["copy"].disturbed = {{3, 1.1}};
  EXPECT_EQ(run_with_defaults().discarded_rounds, 0);
  EXPECT_EQ(run_with(&RacePolicy::clock_drop_ratio, 1.05).discarded_rounds, 1);
}

TEST_F(RacePolicyTest, FinalistRatioLimitsSecondVerifications) {
  add("a", 1e-3);
  add("far", 1.3e-3);
  options.budget_seconds = 11e-3;  // 4.6 ms to try them, 2.3 a round, 2.3 to verify both again
  EXPECT_LT(run_with_defaults().rounds, 5);
  EXPECT_EQ(runner.variants["far"].verified, 1);
  run_with(&RacePolicy::finalist_ratio, 1.4);
  EXPECT_EQ(runner.variants["far"].verified, 2);
}

}  // namespace
}  // namespace xpose
