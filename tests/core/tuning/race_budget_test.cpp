// Candidates that a race leaves out: the budget is spent, the user interrupts, or a strategy is
// hopeless.
#include <gtest/gtest.h>

#include "race_fixture.hpp"
#include "tuning/race.hpp"

namespace xpose {
namespace {

using RaceBudget = RaceTest;

TEST_F(RaceBudget, SpentBudgetEndsTheTriesOnceOneIsRight) {
  candidates = {candidate("wrong"), candidate("right"), candidate("left_out")};
  runner.variants["wrong"].verdict = Verdict::wrong_result;
  options.budget_seconds = 0;
  const TuneReport report = run();
  EXPECT_EQ(winner(report), "right");
  EXPECT_EQ(report.untried, 1U);
  EXPECT_EQ(runner.variants["left_out"].verified, 0);
}

TEST_F(RaceBudget, OtherConfigsOfAHopelessStrategyAreNotTried) {
  for (const char* name : {"copy", "slow", "fast", "slow_copy"})
    candidates.push_back(
        candidate(name, 100, std::string(name).ends_with("copy") ? Role::copy : Role::transpose));
  for (int i = 0; i < 4; ++i) {
    candidates.push_back(candidates[static_cast<std::size_t>(i)]);
    candidates.back().variant.config = {{"tile", 2}};
  }
  runner.variants["copy"].seconds = 0.1e-3;
  runner.variants["slow_copy"].seconds = 0.29e-3;  // copies are compared with copies
  runner.variants["slow"].seconds = 3.1e-3;
  const TuneReport report = run();
  EXPECT_EQ(report.untried, 1U);
  EXPECT_EQ(report.trials.size(), 7U);
  EXPECT_EQ(runner.variants["slow"].verified, 1);
  EXPECT_EQ(runner.variants["slow_copy"].verified, 2);
  EXPECT_EQ(trial(report, "slow").timing->samples, 1);
}

TEST_F(RaceBudget, OtherConfigsAreTriedWhereTheFirstOneWasDisturbed) {
  candidates = {candidate("fast"), candidate("disturbed"), candidate("disturbed")};
  candidates[2].variant.config = {{"tile", 2}};
  runner.variants["disturbed"].disturbed = {{1, 4}};
  const TuneReport report = run();
  EXPECT_EQ(report.untried, 0U);
  EXPECT_EQ(report.trials.size(), 3U);
}

// A disturbed sample would leave the roof to a slower copy, and the winner would seem faster than
// it.
TEST_F(RaceBudget, ADisturbedCopyIsTimedAgain) {
  candidates = {candidate("best", 900, Role::copy), candidate("other", 901, Role::copy),
                candidate("a")};
  runner.variants["best"].disturbed = {{1, 4}};
  runner.variants["other"].seconds = 2e-3;
  runner.variants["a"].seconds = 1.1e-3;
  const TuneReport report = run();
  ASSERT_TRUE(report.roof);
  EXPECT_EQ(report.trials[*report.roof].variant.strategy, "best");
  EXPECT_EQ(report.trials[*report.roof].timing->median, 1e-3);
}

TEST_F(RaceBudget, APredictedSlowStrategyIsTimedOnce) {
  candidates = {candidate("fast"), candidate("near"), candidate("slow"), candidate("silent")};
  candidates[0].predicted = 1;
  candidates[1].predicted = 1.5;
  candidates[2].predicted = 1.51;
  for (const char* name : {"near", "slow", "silent"}) runner.variants[name].seconds = 4e-3;
  run();
  EXPECT_EQ(runner.variants["near"].timed, 2);
  EXPECT_EQ(runner.variants["slow"].timed, 1);
  EXPECT_EQ(runner.variants["silent"].timed, 2);
}

TEST_F(RaceBudget, SecondSamplesTakeTheirShareOfTheBudget) {
  candidates = {candidate("fast"), candidate("very_slow")};
  for (int i = 0; i < 4; ++i) candidates.push_back(candidate("slow" + std::to_string(i)));
  runner.variants["very_slow"].seconds = 21e-3;
  for (int i = 0; i < 4; ++i) runner.variants["slow" + std::to_string(i)].seconds = 8e-3;
  options.budget_seconds = 1;
  policy.second_sample_share = 0.02;
  const TuneReport report = run();
  EXPECT_EQ(report.untried, 0U);
  EXPECT_EQ(runner.variants["very_slow"].timed, 1);
  int twice = 0;
  for (const auto& [name, behaviour] : runner.variants)
    if (name.starts_with("slow")) twice += behaviour.timed - 1;
  EXPECT_EQ(twice, 2);
}

TEST_F(RaceBudget, NoSecondSampleIsTakenOnceTheBudgetIsSpent) {
  candidates = {candidate("wrong"), candidate("fast"), candidate("slow")};
  runner.variants["wrong"].verdict = Verdict::wrong_result;
  runner.variants["wrong"].seconds = 9e-3;
  runner.variants["fast"].seconds = 0.1e-3;
  runner.variants["slow"].seconds = 0.4e-3;
  options.budget_seconds = 10e-3;
  options.every_strategy = true;
  run();
  EXPECT_EQ(runner.variants["slow"].timed, 1);
  options.budget_seconds = 1;
  run();
  EXPECT_EQ(runner.variants["slow"].timed, 3);
}

TEST_F(RaceBudget, AFarBehindCandidateIsNotTriedOnceOneIsRight) {
  candidates = {candidate("wrong"), candidate("right"), candidate("near"), candidate("far"),
                candidate("silent")};
  candidates[0].predicted = 1;    // makes no other far behind: it is wrong
  candidates[1].predicted = 2.5;  // behind, but nothing is right yet
  candidates[2].predicted = 2;
  candidates[3].predicted = 4.1;
  runner.variants["wrong"].verdict = Verdict::wrong_result;
  const TuneReport report = run();
  EXPECT_EQ(report.untried, 1U);
  EXPECT_EQ(runner.variants["far"].verified, 0);
  for (const char* name : {"wrong", "right", "near", "silent"})
    EXPECT_GT(runner.variants[name].verified, 0) << name;
}

TEST_F(RaceBudget, OneOfEachStrategyIsTriedDespitePredictionsWhileTheBudgetLasts) {
  candidates = {candidate("best"), candidate("far"), candidate("far"), candidate("later"),
                candidate("silent")};
  candidates[0].predicted = 1;
  candidates[1].predicted = candidates[2].predicted = candidates[3].predicted = 2.1;
  candidates[2].variant.config = {{"tile", 2}};
  options.every_strategy = true;
  TuneReport report = run();
  EXPECT_EQ(report.untried, 1U);
  EXPECT_TRUE(report.untried_strategies.empty());
  EXPECT_EQ(runner.variants["far"].verified, 2);  // before it was timed, and after the race

  options.budget_seconds = 3e-3;  // two tries of 2 ms spend it
  report = run();
  EXPECT_EQ(report.untried, 3U);
  EXPECT_EQ(report.untried_strategies, (std::vector<std::string>{"later", "silent"}));

  options.budget_seconds = 1;
  runner.preparing = 1;
  report = run();
  EXPECT_EQ(report.untried_strategies, (std::vector<std::string>{"far", "later", "silent"}));
  EXPECT_EQ(report.rounds, 1);
  EXPECT_GT(report.seconds, 1);

  options.variants = {{"best"}, {"far"}, {"later"}, {"silent"}};  // by name
  EXPECT_TRUE(run().untried_strategies.empty());
}

TEST_F(RaceBudget, AFarBehindCandidateIsTriedPastTheBudgetUntilOneIsRight) {
  candidates = {candidate("wrong"), candidate("far"), candidate("other")};
  candidates[0].predicted = 1;
  candidates[1].predicted = 9;
  candidates[2].predicted = 19;
  runner.variants["wrong"].verdict = Verdict::wrong_result;
  options.every_strategy = true;
  options.budget_seconds = 0;
  const TuneReport report = run();
  EXPECT_EQ(winner(report), "far");
  EXPECT_EQ(report.untried_strategies, std::vector<std::string>{"other"});
}

TEST_F(RaceBudget, AStrategyWhoseFirstConfigIsWrongHasItsOthersTried) {
  candidates = {candidate("right"), candidate("wrong"), candidate("wrong")};
  candidates[2].variant.config = {{"tile", 2}};
  runner.variants["wrong"].seconds = 1;
  runner.variants["wrong"].verdict = Verdict::wrong_result;
  EXPECT_EQ(run().untried, 0U);
  EXPECT_EQ(runner.variants["wrong"].verified, 2);
}

// Of twelve, the budget lasts for two more rounds of five: the fastest have medians then.
TEST_F(RaceBudget, WhereFewRoundsAreLeftTheFastestRaceOn) {
  candidates = {candidate("copy", 900, Role::copy)};
  for (int i = 0; i < 11; ++i) {
    const std::string name(1, static_cast<char>('a' + i));
    candidates.push_back(candidate(name));
    runner.variants[name].seconds = (1 + 0.03 * (10 - i)) * 1e-3;  // the last is the fastest
  }
  runner.variants["h"].disturbed = {{1, 0.9}};  // one sample would have it win
  options.budget_seconds = 45e-3;
  policy.trying_share = policy.last_try_share = 1;
  const TuneReport report = run();
  EXPECT_EQ(winner(report), "k");
  EXPECT_GE(report.rounds, 3);
  EXPECT_GE(trial(report, "k").timing->samples, 3);
  EXPECT_GE(trial(report, "copy").timing->samples, 3);
  EXPECT_EQ(trial(report, "a").timing->samples, 1);
}

TEST_F(RaceBudget, ARoundThatWouldGoBeyondTheRacesShareIsNotBegun) {
  for (const char* name : {"a", "b", "c", "d"}) candidates.push_back(candidate(name));
  options.budget_seconds = 20e-3;  // 8 ms to try them, 4 a round until 17, 4 to verify again
  const TuneReport report = run();
  EXPECT_EQ(report.rounds, 3);
  EXPECT_NEAR(report.seconds, 20e-3, 1e-9);
}

TEST_F(RaceBudget, OnlyFinalistsAreVerifiedAgainWhenTheBudgetEndsTheRace) {
  candidates = {candidate("a"), candidate("near"), candidate("far")};
  runner.variants["near"].seconds = 1.09e-3;
  runner.variants["far"].seconds = 1.11e-3;
  options.budget_seconds = 11e-3;  // 6 ms to try them, 3 a round, 2 to verify two of them again
  options.every_strategy = true;
  const TuneReport report = run();
  EXPECT_LT(report.rounds, 5);
  EXPECT_EQ(runner.variants["a"].verified, 2);
  EXPECT_EQ(runner.variants["near"].verified, 2);
  EXPECT_EQ(runner.variants["far"].verified, 1);
  EXPECT_EQ(trial(report, "far").verdict, Verdict::ok);
}

TEST_F(RaceBudget, BeyondTheBudgetTheFastestAloneIsVerifiedAgain) {
  candidates = {candidate("a"), candidate("near")};
  runner.variants["near"].seconds = 1.05e-3;
  options.budget_seconds = 4e-3;  // the tries take all of it
  TuneReport report = run();
  EXPECT_EQ(report.rounds, 1);
  EXPECT_EQ(winner(report), "a");
  EXPECT_EQ(runner.variants["a"].verified, 2);
  EXPECT_EQ(runner.variants["near"].verified, 1);
}

TEST_F(RaceBudget, BudgetCutsSecondConfigsButEveryStrategyCanBeAskedFor) {
  options.every_strategy = true;
  for (const char* name : {"a", "b", "c"}) candidates.push_back(candidate(name));
  for (const char* name : {"a", "b", "c"}) {
    candidates.push_back(candidate(name));
    candidates.back().variant.config = {{"tile", 2}};
  }
  options.budget_seconds = 6e-3;  // a try takes 2 ms: one of every strategy takes all of it
  TuneReport report = run();
  EXPECT_EQ(report.untried, 3U);
  EXPECT_EQ(report.trials.size(), 3U);
  EXPECT_EQ(report.rounds, 1);
  EXPECT_NE(winner(report), "");

  options.budget_seconds = 0;
  report = run();
  EXPECT_EQ(report.untried_strategies, (std::vector<std::string>{"b", "c"}));
  options.variants = {{"a"}, {"b"}, {"c"}};  // by name
  EXPECT_TRUE(run().untried_strategies.empty());
}

TEST_F(RaceBudget, ALaunchThatCouldExceedTheBudgetIsNotTried) {
  candidates = {candidate("copy", 900, Role::copy), candidate("fast"), candidate("slow"),
                candidate("silent")};
  candidates[1].predicted = 1.1;
  candidates[2].predicted = 16;  // 40 copies
  runner.variants["copy"].seconds = 20e-3;
  runner.variants["fast"].seconds = 22e-3;
  runner.variants["slow"].seconds = 0.72;
  runner.variants["silent"].seconds = 0.1;
  options.every_strategy = true;
  options.budget_seconds = 0.8;
  const TuneReport report = run();
  EXPECT_EQ(report.untried_strategies, std::vector<std::string>{"slow"});
  EXPECT_EQ(runner.variants["slow"].verified, 0);
  EXPECT_GT(runner.variants["silent"].verified, 0);
  EXPECT_LT(report.seconds, 0.8);

  options.whole = true;  // however long that takes
  EXPECT_TRUE(run().untried_strategies.empty());
}

TEST_F(RaceBudget, InterruptionFinishesTheCandidateInHand) {
  candidates = {candidate("a"), candidate("b"), candidate("c")};
  options.interrupted = [this] { return runner.variants["a"].timed > 0; };
  const TuneReport report = run();
  EXPECT_TRUE(report.interrupted);
  EXPECT_EQ(report.untried, 2U);
  EXPECT_EQ(winner(report), "a");
}

}  // namespace
}  // namespace xpose
