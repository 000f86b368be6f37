#include "tuning/race.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "race_fixture.hpp"

namespace xpose {
namespace {

TEST_F(RaceTest, NeverChoosesANumericTranspose) {
  candidates = {candidate("a"), candidate("numeric"), candidate("copy", 900, Role::copy)};
  candidates[1].role = Role::numeric;
  runner.variants["a"].seconds = 4e-3;
  runner.variants["numeric"].seconds = 2e-3;
  runner.variants["copy"].seconds = 2e-3;
  const TuneReport report = run();
  EXPECT_EQ(winner(report), "a");  // and is not dropped for being slower
  EXPECT_FALSE(report.runner_up);
  EXPECT_EQ(report.trials[*report.roof].variant.strategy, "copy");
  ASSERT_TRUE(trial(report, "numeric").timing);
  EXPECT_TRUE(trial(report, "numeric").role == Role::numeric);
  EXPECT_EQ(trial(report, "numeric").timing->median, 2e-3);

  candidates.erase(candidates.begin());
  EXPECT_FALSE(run().winner);
}

TEST_F(RaceTest, KeepsTheFastestAndReportsItsMargin) {
  candidates = {candidate("a"), candidate("b"), candidate("copy", 900, Role::copy)};
  runner.variants["a"].seconds = 1.25e-3;
  runner.variants["b"].seconds = 1e-3;
  runner.variants["copy"].seconds = 0.5e-3;
  const TuneReport report = run();
  EXPECT_EQ(winner(report), "b");
  EXPECT_NEAR(report.margin, 0.25, 1e-12);
  ASSERT_TRUE(report.roof);
  EXPECT_EQ(report.trials[*report.roof].variant.strategy, "copy");
  EXPECT_EQ(report.trials[*report.runner_up].variant.strategy, "a");
  EXPECT_DOUBLE_EQ(trial(report, "b").timing->median, 1e-3);
}

TEST_F(RaceTest, ReportsWhatAnEstimateWouldHaveChosen) {
  candidates = {candidate("a"), candidate("b")};
  runner.variants["b"].seconds = runner.variants["a"].seconds / 2;
  EXPECT_FALSE(run().estimate);
  candidates[0].is_estimate = true;
  const TuneReport report = run();
  EXPECT_EQ(winner(report), "b");
  ASSERT_TRUE(report.estimate);
  EXPECT_EQ(report.trials[*report.estimate].variant.strategy, "a");
}

TEST_F(RaceTest, NeverChoosesACopy) {
  candidates = {candidate("copy", 0, Role::copy)};
  EXPECT_EQ(winner(run()), "");
}

TEST_F(RaceTest, TheLowerPriorRankWinsATie) {
  candidates = {candidate("a", 50), candidate("b", 10)};
  runner.variants["a"].seconds = 1e-3;
  runner.variants["b"].seconds = 1.015e-3;
  EXPECT_EQ(winner(run()), "b");
  runner.variants["b"].seconds = 1.03e-3;
  EXPECT_EQ(winner(run()), "a");
}

TEST_F(RaceTest, DropsAFarSlowerContestantAfterOneRound) {
  candidates = {candidate("a"), candidate("slow"), candidate("near")};
  runner.variants["slow"].seconds = 1.51e-3;
  runner.variants["near"].seconds = 1.1e-3;
  const TuneReport report = run();
  EXPECT_EQ(trial(report, "slow").timing->samples, 1);
  EXPECT_EQ(trial(report, "near").timing->samples, 5);  // dropped by the first paired comparison
  EXPECT_EQ(report.rounds, 5);
}

// Another process may slow down one launch, at any place of the order and of the race.
TEST_F(RaceTest, TheBestWinsThoughOneOfItsLaunchesWasDisturbed) {
  for (const bool is_first : {true, false})
    for (const int sample : {1, 2, 3}) {
      candidates = {candidate("other"), candidate("best")};
      if (is_first) std::swap(candidates[0], candidates[1]);
      runner.variants.clear();
      runner.variants["other"].seconds = 1.2e-3;
      runner.variants["best"].disturbed = {{sample, 4}};
      const TuneReport report = run();
      EXPECT_EQ(winner(report), "best") << is_first << " sample " << sample;
      EXPECT_DOUBLE_EQ(trial(report, "best").timing->median, 1e-3);
      EXPECT_EQ(runner.variants["best"].timed, report.rounds + (sample == 1 ? 1 : 0));
    }
}

TEST_F(RaceTest, AContestantThatIsSlowTwiceIsDropped) {
  candidates = {candidate("a"), candidate("slow"), candidate("copy", 900, Role::copy),
                candidate("slow_copy", 900, Role::copy)};
  runner.variants["slow"].seconds = 4e-3;
  runner.variants["slow"].disturbed = {{2, 2}};
  runner.variants["slow_copy"].seconds = 4e-3;
  const TuneReport report = run();
  EXPECT_EQ(runner.variants["slow"].timed, 2);
  EXPECT_EQ(trial(report, "slow").timing->samples, 1);
  EXPECT_EQ(trial(report, "slow").rounds, std::vector<double>{4e-3});  // the smaller one
  EXPECT_EQ(runner.variants["slow_copy"].timed, 2);                    // it could be the roof
}

TEST_F(RaceTest, AFailureOfTheSecondSampleIsAVerdict) {
  candidates = {candidate("a"), candidate("slow")};
  runner.variants["slow"].disturbed = {{1, 4}};
  runner.variants["slow"].later_timing_verdict = Verdict::device_error;
  const TuneReport report = run();
  EXPECT_EQ(winner(report), "a");
  EXPECT_EQ(trial(report, "slow").verdict, Verdict::device_error);
  EXPECT_EQ(runner.variants["slow"].timed, 2);
}

TEST_F(RaceTest, RacesUntilTheRoundsRunOutWhileItCannotTell) {
  candidates = {candidate("a"), candidate("b")};
  // The two have noise out of step with each other, so their mean ratio is never certain.
  int calls = 0;
  runner.slow_down = [&](int) { return 1.0 + 0.1 * ((calls++ * 7) % 5 - 2); };
  options.max_rounds = 9;
  EXPECT_EQ(run().rounds, 9);
}

TEST_F(RaceTest, DiscardsRoundsInWhichTheClockDropped) {
  candidates = {candidate("a"), candidate("copy", 900, Role::copy)};
  runner.slow_down = [](int timed) { return timed == 3 ? 2.0 : 1.0; };
  const TuneReport report = run();
  EXPECT_EQ(report.discarded_rounds, 1);
  EXPECT_DOUBLE_EQ(trial(report, "a").timing->median, 1e-3);
  EXPECT_DOUBLE_EQ(trial(report, "a").timing->spread, 0);
}

// The first sample of a copy may flatter it: its usual time is no drop of the clock.
TEST_F(RaceTest, DiscardsNoTwoRoundsInARow) {
  candidates = {candidate("a"), candidate("copy", 900, Role::copy)};
  runner.variants["copy"].disturbed = {{1, 0.5}};
  const TuneReport report = run();
  EXPECT_LE(report.discarded_rounds, 2);
  EXPECT_DOUBLE_EQ(trial(report, "copy").timing->median, 1e-3);
}

TEST_F(RaceTest, KeepsEverySampleByRound) {
  candidates = {candidate("a"), candidate("slow"), candidate("wrong"),
                candidate("copy", 900, Role::copy)};
  runner.variants["slow"].seconds = 2e-3;
  runner.variants["wrong"].verdict = Verdict::wrong_result;
  runner.slow_down = [](int timed) { return timed == 3 ? 2.0 : 1.0 + 0.01 * timed; };
  const TuneReport report = run();
  ASSERT_EQ(report.rounds, 5);
  ASSERT_EQ(report.discarded_rounds, 1);
  for (const char* name : {"a", "copy"}) {
    const std::vector<double>& rounds = trial(report, name).rounds;
    ASSERT_EQ(rounds.size(), 6U);
    for (std::size_t i = 0; i < 6; ++i) {
      if (i == 2)
        EXPECT_TRUE(std::isnan(rounds[i])) << name;  // the clock dropped
      else
        EXPECT_DOUBLE_EQ(rounds[i], 1e-3 * (1.01 + 0.01 * static_cast<double>(i))) << name;
    }
  }
  EXPECT_EQ(trial(report, "slow").rounds, std::vector<double>{2.02e-3});  // dropped after it
  EXPECT_TRUE(trial(report, "wrong").rounds.empty());
}

TEST_F(RaceTest, RotatesTheOrderOfRounds) {
  candidates = {candidate("a"), candidate("b"), candidate("c")};
  run();
  EXPECT_EQ(runner.order.substr(0, 9), "abcbcacab");
}

TEST_F(RaceTest, WrongVariantsAreReportedAndNeverTimed) {
  candidates = {candidate("wrong"), candidate("right")};
  runner.variants["wrong"].seconds = 1e-6;
  runner.variants["wrong"].verdict = Verdict::wrong_result;
  const TuneReport report = run();
  EXPECT_EQ(winner(report), "right");
  EXPECT_EQ(trial(report, "wrong").verdict, Verdict::wrong_result);
  EXPECT_EQ(trial(report, "wrong").detail, "said so");
  EXPECT_FALSE(trial(report, "wrong").timing);
  EXPECT_EQ(runner.variants["wrong"].timed, 0);
}

TEST_F(RaceTest, AWinnerThatIsWrongAfterTimingLosesItsPlace) {
  candidates = {candidate("turncoat"), candidate("steady")};
  runner.variants["turncoat"].seconds = 1e-4;
  runner.variants["turncoat"].later_verdict = Verdict::wrote_outside;
  const TuneReport report = run();
  EXPECT_EQ(winner(report), "steady");
  EXPECT_EQ(trial(report, "turncoat").verdict, Verdict::wrote_outside);
}

TEST_F(RaceTest, FailureWhileTimingIsAVerdict) {
  candidates = {candidate("fails"), candidate("works")};
  runner.variants["fails"].timing_verdict = Verdict::device_error;
  const TuneReport report = run();
  EXPECT_EQ(winner(report), "works");
  EXPECT_EQ(trial(report, "fails").verdict, Verdict::device_error);
}

TEST_F(RaceTest, UnsupportedIsListedWithItsReason) {
  candidates = {candidate("cannot"), candidate("can")};
  candidates[0].outcome = {Verdict::unsupported, "needs wings"};
  const TuneReport report = run();
  EXPECT_EQ(trial(report, "cannot").verdict, Verdict::unsupported);
  EXPECT_EQ(trial(report, "cannot").detail, "needs wings");
  EXPECT_EQ(runner.variants["cannot"].verified, 0);
}

TEST_F(RaceTest, ProgressSeesEveryTrialOnce) {
  candidates = {candidate("a"), candidate("b")};
  std::size_t trials = 0;
  options.progress = [&](const Progress& progress) {
    if (progress.trial == nullptr) return;
    EXPECT_EQ(progress.total, 2U);
    EXPECT_EQ(progress.done, ++trials);
  };
  run();
  EXPECT_EQ(trials, 2U);
}

TEST_F(RaceTest, NoCandidatesIsAnEmptyReport) {
  const TuneReport report = run();
  EXPECT_TRUE(report.trials.empty());
  EXPECT_FALSE(report.winner);
}

}  // namespace
}  // namespace xpose
