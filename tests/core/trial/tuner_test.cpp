#include "trial/tuner.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace xpose {
namespace {

// A machine on which a variant takes a told time, and a clock that only trials move.
class FakeRunner : public TrialRunner {
 public:
  struct Behaviour {
    double seconds = 1e-3;
    Verdict verdict = Verdict::ok;         // of verify
    Verdict later_verdict = Verdict::ok;   // of every verify but the first
    Verdict timing_verdict = Verdict::ok;  // of time
    int verified = 0;
    int timed = 0;
  };

  std::vector<QuoteAnswer> quote(const Strategy&, const std::vector<Values>&) override {
    return {};
  }
  void prepare() override {}

  Outcome verify(const Candidate& candidate) override {
    Behaviour& behaviour = variants[candidate.variant.strategy];
    now += behaviour.seconds;
    const bool first = behaviour.verified++ == 0;
    return {first ? behaviour.verdict : behaviour.later_verdict, "said so"};
  }

  Sample time(const Candidate& candidate) override {
    Behaviour& behaviour = variants[candidate.variant.strategy];
    ++behaviour.timed;
    const double seconds = behaviour.seconds * (slow_down ? slow_down(behaviour.timed) : 1.0);
    now += seconds;
    order += candidate.variant.strategy;
    return {{behaviour.timing_verdict, "timing"}, seconds};
  }

  std::map<std::string, Behaviour> variants;
  std::function<double(int)> slow_down;  // by how often a variant was timed
  double now = 100;
  std::string order;
};

Candidate candidate(const std::string& name, int prior_rank = 100, bool is_copy = false) {
  Candidate made;
  made.variant.strategy = name;
  made.prior_rank = prior_rank;
  made.is_copy = is_copy;
  return made;
}

class Tuner : public testing::Test {
 protected:
  TuneReport run() {
    return race(
        candidates, 1000, runner, [this] { return runner.now; }, options);
  }
  static std::string winner(const TuneReport& report) {
    return report.winner ? report.trials[*report.winner].variant.strategy : "";
  }
  static const Trial& trial(const TuneReport& report, const std::string& name) {
    for (const Trial& one : report.trials)
      if (one.variant.strategy == name) return one;
    throw std::out_of_range(name);
  }

  FakeRunner runner;
  std::vector<Candidate> candidates;
  TuneOptions options;
};

TEST_F(Tuner, NeverChoosesANumericTranspose) {
  candidates = {candidate("a"), candidate("numeric"), candidate("copy", 900, true)};
  candidates[1].is_numeric = true;
  runner.variants["a"].seconds = 4e-3;
  runner.variants["numeric"].seconds = 2e-3;
  runner.variants["copy"].seconds = 2e-3;
  const TuneReport report = run();
  EXPECT_EQ(winner(report), "a");  // and is not dropped for being slower
  EXPECT_FALSE(report.runner_up);
  EXPECT_EQ(report.trials[*report.roof].variant.strategy, "copy");
  ASSERT_TRUE(trial(report, "numeric").timing);
  EXPECT_TRUE(trial(report, "numeric").is_numeric);
  EXPECT_EQ(trial(report, "numeric").timing->median, 2e-3);

  candidates.erase(candidates.begin());
  EXPECT_FALSE(run().winner);
}

TEST_F(Tuner, KeepsTheFastestAndReportsItsMargin) {
  candidates = {candidate("a"), candidate("b"), candidate("copy", 900, true)};
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

TEST_F(Tuner, NeverChoosesACopy) {
  candidates = {candidate("copy", 0, true)};
  EXPECT_EQ(winner(run()), "");
}

TEST_F(Tuner, WithinTwoPercentTheLowerPriorRankWins) {
  candidates = {candidate("a", 50), candidate("b", 10)};
  runner.variants["a"].seconds = 1e-3;
  runner.variants["b"].seconds = 1.015e-3;
  EXPECT_EQ(winner(run()), "b");
  runner.variants["b"].seconds = 1.03e-3;
  EXPECT_EQ(winner(run()), "a");
}

TEST_F(Tuner, DropsWhatIsFarBehindAfterOneRound) {
  candidates = {candidate("a"), candidate("slow"), candidate("near")};
  runner.variants["slow"].seconds = 1.51e-3;
  runner.variants["near"].seconds = 1.1e-3;
  const TuneReport report = run();
  EXPECT_EQ(trial(report, "slow").timing->samples, 1);
  EXPECT_EQ(trial(report, "near").timing->samples, 5);  // dropped when the race begins
  EXPECT_EQ(report.rounds, 5);
}

TEST_F(Tuner, RacesUntilTheRoundsRunOutWhileItCannotTell) {
  candidates = {candidate("a"), candidate("b")};
  // Noise of 10 % either way, out of step between the two: the mean ratio is never certain.
  int calls = 0;
  runner.slow_down = [&](int) { return 1.0 + 0.1 * ((calls++ * 7) % 5 - 2); };
  options.max_rounds = 9;
  EXPECT_EQ(run().rounds, 9);
}

TEST_F(Tuner, DiscardsRoundsInWhichTheClockDropped) {
  candidates = {candidate("a"), candidate("copy", 900, true)};
  runner.slow_down = [](int timed) { return timed == 3 ? 2.0 : 1.0; };
  const TuneReport report = run();
  EXPECT_EQ(report.discarded_rounds, 1);
  EXPECT_DOUBLE_EQ(trial(report, "a").timing->median, 1e-3);
  EXPECT_DOUBLE_EQ(trial(report, "a").timing->spread, 0);
}

TEST_F(Tuner, KeepsEverySampleByRound) {
  candidates = {candidate("a"), candidate("slow"), candidate("wrong"),
                candidate("copy", 900, true)};
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

TEST_F(Tuner, RotatesTheOrderOfRounds) {
  candidates = {candidate("a"), candidate("b"), candidate("c")};
  run();
  EXPECT_EQ(runner.order.substr(0, 9), "abcbcacab");
}

TEST_F(Tuner, WrongVariantsAreReportedAndNeverTimed) {
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

TEST_F(Tuner, WhatIsWrongAfterTimingLosesItsPlace) {
  candidates = {candidate("turncoat"), candidate("steady")};
  runner.variants["turncoat"].seconds = 1e-4;
  runner.variants["turncoat"].later_verdict = Verdict::wrote_outside;
  const TuneReport report = run();
  EXPECT_EQ(winner(report), "steady");
  EXPECT_EQ(trial(report, "turncoat").verdict, Verdict::wrote_outside);
}

TEST_F(Tuner, FailureWhileTimingIsAVerdict) {
  candidates = {candidate("fails"), candidate("works")};
  runner.variants["fails"].timing_verdict = Verdict::device_error;
  const TuneReport report = run();
  EXPECT_EQ(winner(report), "works");
  EXPECT_EQ(trial(report, "fails").verdict, Verdict::device_error);
}

TEST_F(Tuner, UnsupportedIsListedWithItsReason) {
  candidates = {candidate("cannot"), candidate("can")};
  candidates[0].outcome = {Verdict::unsupported, "needs wings"};
  const TuneReport report = run();
  EXPECT_EQ(trial(report, "cannot").verdict, Verdict::unsupported);
  EXPECT_EQ(trial(report, "cannot").detail, "needs wings");
  EXPECT_EQ(runner.variants["cannot"].verified, 0);
}

TEST_F(Tuner, SpentBudgetEndsTheTriesOnceOneIsRight) {
  candidates = {candidate("wrong"), candidate("right"), candidate("left_out")};
  runner.variants["wrong"].verdict = Verdict::wrong_result;
  options.budget_seconds = 0;
  const TuneReport report = run();
  EXPECT_EQ(winner(report), "right");
  EXPECT_EQ(report.untried, 1U);
  EXPECT_EQ(runner.variants["left_out"].verified, 0);
}

TEST_F(Tuner, OtherConfigsOfAHopelessStrategyAreNotTried) {
  for (const char* name : {"copy", "slow", "fast", "slow_copy"})
    candidates.push_back(candidate(name, 100, std::string(name).ends_with("copy")));
  for (int i = 0; i < 4; ++i) {
    candidates.push_back(candidates[static_cast<std::size_t>(i)]);
    candidates.back().variant.config = {{"tile", 2}};
  }
  runner.variants["copy"].seconds = 0.1e-3;
  runner.variants["slow_copy"].seconds = 0.29e-3;  // near enough among copies
  runner.variants["slow"].seconds = 3.1e-3;
  const TuneReport report = run();
  EXPECT_EQ(report.untried, 1U);
  EXPECT_EQ(report.trials.size(), 7U);
  EXPECT_EQ(runner.variants["slow"].verified, 1);
  EXPECT_EQ(runner.variants["slow_copy"].verified, 2);
  EXPECT_EQ(trial(report, "slow").timing->samples, 1);
}

TEST_F(Tuner, WhatIsPredictedFarBehindIsNotTriedOnceOneIsRight) {
  candidates = {candidate("wrong"), candidate("right"), candidate("near"), candidate("far"),
                candidate("silent")};
  candidates[0].predicted = 1;
  candidates[1].predicted = 2.5;  // behind, but nothing is right yet
  candidates[2].predicted = 2;
  candidates[3].predicted = 2.1;
  runner.variants["wrong"].verdict = Verdict::wrong_result;
  const TuneReport report = run();
  EXPECT_EQ(report.untried, 1U);
  EXPECT_EQ(runner.variants["far"].verified, 0);
  for (const char* name : {"wrong", "right", "near", "silent"})
    EXPECT_GT(runner.variants[name].verified, 0) << name;
}

TEST_F(Tuner, OneOfEachStrategyIsTriedWhateverIsPredicted) {
  candidates = {candidate("best"), candidate("far"), candidate("far")};
  candidates[0].predicted = 1;
  candidates[1].predicted = candidates[2].predicted = 9;
  candidates[2].variant.config = {{"tile", 2}};
  options.every_strategy = true;
  EXPECT_EQ(run().untried, 1U);
  EXPECT_EQ(runner.variants["far"].verified, 2);  // before it was timed, and after the race
}

TEST_F(Tuner, AStrategyWhoseFirstConfigIsWrongHasItsOthersTried) {
  candidates = {candidate("right"), candidate("wrong"), candidate("wrong")};
  candidates[2].variant.config = {{"tile", 2}};
  runner.variants["wrong"].seconds = 1;
  runner.variants["wrong"].verdict = Verdict::wrong_result;
  EXPECT_EQ(run().untried, 0U);
  EXPECT_EQ(runner.variants["wrong"].verified, 2);
}

TEST_F(Tuner, TryingLeavesTheRaceItsShareOfTheBudget) {
  for (int tile = 0; tile < 100; ++tile) {
    candidates.push_back(candidate("a"));
    candidates.back().variant.config = {{"tile", tile}};
  }
  options.budget_seconds = 0.1;  // a try takes 2 ms, a round 1 ms for each in the race
  const TuneReport report = run();
  EXPECT_EQ(report.untried, 70U);
  EXPECT_GT(report.rounds, 1);
}

TEST_F(Tuner, WhenTheBudgetEndsTheRaceOnlyWhatIsNearIsVerifiedAgain) {
  candidates = {candidate("a"), candidate("near"), candidate("far")};
  runner.variants["near"].seconds = 1.09e-3;
  runner.variants["far"].seconds = 1.11e-3;
  options.budget_seconds = 7e-3;
  options.every_strategy = true;
  const TuneReport report = run();
  EXPECT_LT(report.rounds, 5);
  EXPECT_EQ(runner.variants["a"].verified, 2);
  EXPECT_EQ(runner.variants["near"].verified, 2);
  EXPECT_EQ(runner.variants["far"].verified, 1);
  EXPECT_EQ(trial(report, "far").verdict, Verdict::ok);
}

TEST_F(Tuner, BudgetCutsSecondConfigsButEveryStrategyCanBeAskedFor) {
  options.every_strategy = true;
  for (const char* name : {"a", "b", "c"}) candidates.push_back(candidate(name));
  for (const char* name : {"a", "b", "c"}) {
    candidates.push_back(candidate(name));
    candidates.back().variant.config = {{"tile", 2}};
  }
  options.budget_seconds = 0;
  const TuneReport report = run();
  EXPECT_EQ(report.untried, 3U);
  EXPECT_EQ(report.trials.size(), 3U);
  EXPECT_EQ(report.rounds, 1);
  EXPECT_NE(winner(report), "");
}

TEST_F(Tuner, InterruptionFinishesTheCandidateInHand) {
  candidates = {candidate("a"), candidate("b"), candidate("c")};
  options.interrupted = [this] { return runner.variants["a"].timed > 0; };
  const TuneReport report = run();
  EXPECT_TRUE(report.interrupted);
  EXPECT_EQ(report.untried, 2U);
  EXPECT_EQ(winner(report), "a");
}

TEST_F(Tuner, ProgressSeesEveryTrialOnce) {
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

TEST_F(Tuner, NoCandidatesIsAnEmptyReport) {
  const TuneReport report = run();
  EXPECT_TRUE(report.trials.empty());
  EXPECT_FALSE(report.winner);
}

}  // namespace
}  // namespace xpose
