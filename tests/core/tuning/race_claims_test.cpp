// Figures of a quote are claims. They cannot buy the tries that the fastest strategy needs.
#include <gtest/gtest.h>

#include <algorithm>

#include "race_fixture.hpp"
#include "tuning/race.hpp"

namespace xpose {
namespace {

class RaceClaims : public RaceTest {
 protected:
  // A copy of 1 ms, and the fastest strategy, which is predicted to take 1.05 times that.
  RaceClaims() {
    candidates = {candidate("copy", 900, Role::copy), candidate("fast")};
    candidates[1].predicted = 1.05;
    candidates[1].is_favourite = true;
    runner.variants["fast"].seconds = 1.1e-3;
  }
  // Adds so many configs that claim the speed of a copy and take `seconds`.
  void add_liar(const std::string& name, double seconds, int configs,
                std::optional<double> discount) {
    for (int config = 0; config < configs; ++config) {
      candidates.push_back(candidate(name, 1));
      candidates.back().variant.config = {{"tile", config}};
      candidates.back().predicted = 1;
      candidates.back().trust = {discount, discount == 1};
    }
    runner.variants[name].seconds = seconds;
  }
  void add(const std::string& name, double predicted, double seconds) {
    candidates.push_back(candidate(name));
    candidates.back().predicted = predicted;
    runner.variants[name].seconds = seconds;
  }
};

// The liar comes first, as its figures want it, and is trusted as if it were shipped.
TEST_F(RaceClaims, ALiarOfManyConfigsDoesNotDisplaceTheFastest) {
  const Candidate fast = candidates[1];
  candidates.pop_back();
  add_liar("liar", 30e-3, 64, 1);
  candidates.push_back(fast);
  for (const bool every_strategy : {false, true})
    for (const double budget : {0.1, 0.3, 2.0}) {
      options.budget_seconds = budget;
      options.every_strategy = every_strategy;
      runner.variants["liar"] = {.seconds = 30e-3};
      const TuneReport report = run();
      EXPECT_EQ(winner(report), "fast");
      EXPECT_LE(runner.variants["liar"].verified, 2);  // hopeless from its first config on
      EXPECT_LE(report.seconds, budget);
    }
}

TEST_F(RaceClaims, TenLiarsOfLongLaunchesDoNotDisplaceTheFastest) {
  for (int i = 0; i < 10; ++i) add_liar("liar" + std::to_string(i), 60e-3, 64, std::nullopt);
  add("near", 1.5, 1.05e-3);
  std::rotate(candidates.begin() + 2, candidates.end() - 1,
              candidates.end());  // as they are sorted
  options.budget_seconds = 0.2;
  for (const bool every_strategy : {false, true}) {
    options.every_strategy = every_strategy;
    const TuneReport report = run();
    EXPECT_EQ(winner(report), "near");
    EXPECT_GE(report.rounds, 5);
    EXPECT_LE(report.seconds, 0.2);
    EXPECT_EQ(report.untried_rivals.size(), 9U);  // their claims may be true
  }
}

TEST_F(RaceClaims, ALieMakesNoRivalFarBehind) {
  add_liar("liar", 10e-3, 1, 1);
  add("rival", 2.15, 1e-3);
  EXPECT_EQ(winner(run()), "rival");  // far behind the liar, but not the fastest
  candidates.back().predicted = 2.25;
  EXPECT_EQ(winner(run()), "fast");
  candidates.erase(candidates.begin() + 1);  // no prediction of a right strategy is left
  EXPECT_EQ(winner(run()), "rival");
}

TEST_F(RaceClaims, AClaimMakesNoRivalFarBehindUntilItIsMeasured) {
  candidates[1].predicted = 2.5;
  runner.variants["fast"].seconds = 2.5e-3;
  add_liar("claim", 1e-3, 1, std::nullopt);
  add("behind", 3, 1.05e-3);
  const TuneReport report = run();
  EXPECT_EQ(runner.variants["behind"].verified, 0);  // the claim proved true
  EXPECT_EQ(winner(report), "claim");
  runner.variants["claim"].seconds = 9e-3;
  EXPECT_EQ(winner(run()), "behind");
}

TEST_F(RaceClaims, SecondConfigsAreTriedInTheOrderOfTheFirst) {
  add_liar("liar", 2.5e-3, 20, 1);
  for (int config = 0; config < 20; ++config) {
    candidates.push_back(candidates[1]);
    candidates.back().variant.config = {{"tile", config}};
    candidates.back().is_favourite = false;
  }
  options.budget_seconds = 0.1;
  const TuneReport report = run();
  for (const Candidate& one : candidates)
    if (one.variant.strategy == "fast") {
      EXPECT_NE(std::ranges::find(report.trials, one.variant, &Trial::variant),
                report.trials.end());
    }
  EXPECT_GT(report.untried, 0U);
}

TEST_F(RaceClaims, FavouritesAreTriedWithoutABudget) {
  candidates.insert(candidates.begin() + 1, candidate("other"));
  runner.variants["other"].seconds = 2e-3;
  options.budget_seconds = 0;
  EXPECT_EQ(winner(run()), "fast");
}

TEST_F(RaceClaims, AStrategyLeftOutByTheBudgetAloneIsARival) {
  add("near", 2, 1e-3);
  add("far", 9, 9e-3);
  add("copy2", kNotPredicted, 1e-3);
  candidates.back().role = Role::copy;
  options.budget_seconds = 0;
  const TuneReport report = run();
  EXPECT_EQ(report.untried_strategies, (std::vector<std::string>{"near", "far", "copy2"}));
  EXPECT_EQ(report.untried_rivals, std::vector<std::string>{"near"});
  options.budget_seconds = 1;
  EXPECT_TRUE(run().untried_rivals.empty());
}

TEST_F(RaceClaims, NoClaimedRankWinsATie) {
  add_liar("outsider", 1.09e-3, 1, 1.3);
  EXPECT_EQ(winner(run()), "fast");
  runner.variants["outsider"].seconds = 1.05e-3;
  EXPECT_EQ(winner(run()), "outsider");
}

TEST_F(RaceClaims, TheReportHasPredictionsAndTheirDiscounts) {
  candidates[1].predicted = 1.25;
  add_liar("liar", 8e-3, 1, 1.5);
  add_liar("stranger", 8e-3, 1, std::nullopt);
  add("silent", kNotPredicted, 2e-3);
  const TuneReport report = run();
  EXPECT_DOUBLE_EQ(trial(report, "fast").predicted_share, 0.8);
  EXPECT_EQ(trial(report, "fast").discount, 1);
  EXPECT_EQ(trial(report, "liar").predicted_share, 1);
  EXPECT_EQ(trial(report, "liar").discount, 1.5);
  EXPECT_EQ(trial(report, "stranger").predicted_share, 1);
  EXPECT_EQ(trial(report, "stranger").discount, 0);
  EXPECT_EQ(trial(report, "silent").predicted_share, 0);
}

}  // namespace
}  // namespace xpose
