// What an engine does where trials of the problem fit into neither budget nor memory.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "xpose/cache.hpp"

namespace xpose {
namespace {

namespace fs = std::filesystem;

// 3 GB of buffers, of which no test here makes any.
const Problem kLarge = matrix(20000, 20001, 4);

class EngineBudget : public testing::Test {
 protected:
  ~EngineBudget() override { fs::remove_all(folder_); }

  EngineOptions options() const {
    EngineOptions options;
    options.plugin_folders = {XPOSE_PLUGINS};
    options.threads = 2;
    options.worker = XPOSE_TRIAL_PROGRAM;
    options.cache = cache();
    return options;
  }
  fs::path cache() const { return folder_ / "trials.sqlite"; }

 private:
  fs::path folder_ = fs::path(testing::TempDir()) /
                     ("xpose-budget-" + std::to_string(getpid()) + '-' +
                      testing::UnitTest::GetInstance()->current_test_info()->name());
};

std::uint64_t moved(const Problem& problem) {
  return 2 * static_cast<std::uint64_t>(problem.rows) * static_cast<std::uint64_t>(problem.cols) *
         problem.element_bytes;
}

TEST_F(EngineBudget, ALargeProblemIsTriedOnWhatStandsInForIt) {
  Engine engine(options());
  TuneOptions tune;
  tune.budget_seconds = 0.3;
  const TuneReport report = engine.tune(kLarge, tune);
  ASSERT_TRUE(report.stand_in);
  ASSERT_TRUE(report.winner);
  EXPECT_FALSE(report.is_estimate);
  EXPECT_EQ(report.problem.rows, kLarge.rows);
  EXPECT_LT(report.stand_in->rows, kLarge.rows);
  EXPECT_EQ(report.bytes, moved(*report.stand_in));
  EXPECT_TRUE(report.trials[*report.winner].timing);
  EXPECT_NE(report.why_not_whole.find("s of a budget of 0.3 s"), std::string::npos)
      << report.why_not_whole;

  const Plan plan = engine.plan(kLarge, {.policy = Policy::cached_only});  // it was chosen
  EXPECT_FALSE(plan.is_estimate());
  EXPECT_EQ(plan.problem().rows, kLarge.rows);
  EXPECT_EQ(plan.variant(), report.trials[*report.winner].variant);
  const CacheContents kept = read_cache(cache());
  ASSERT_EQ(kept.decisions.size(), 1U);
  EXPECT_NE(kept.decisions[0].key.problem.find("20001"), std::string::npos);
  EXPECT_NE(kept.decisions[0].stand_in, "");
  EXPECT_EQ(kept.decisions[0].stand_in.find("20001"), std::string::npos);
}

TEST_F(EngineBudget, WhatNoBudgetCanMeasureIsEstimated) {
  Engine engine(options());
  PlanOptions plan;
  plan.tune.budget_seconds = 1e-3;
  EXPECT_TRUE(engine.plan(kLarge, plan).is_estimate());
  EXPECT_TRUE(engine.plan(kLarge, plan).is_estimate());  // known by now
  for (const double budget : {0.0, 1e-3}) {
    plan.tune.budget_seconds = budget;
    const TuneReport report = engine.tune(kLarge, plan.tune);
    EXPECT_TRUE(report.is_estimate);
    EXPECT_FALSE(report.stand_in);
    ASSERT_TRUE(report.winner);
    EXPECT_FALSE(report.trials[*report.winner].timing);
    EXPECT_EQ(report.trials[*report.winner].variant, engine.plan(kLarge, plan).variant());
    EXPECT_NE(report.why_not_whole, "");
  }
  EXPECT_TRUE(read_cache(cache()).decisions.empty());
}

TEST_F(EngineBudget, WhoInsistsHasTheWholeTried) {
  Engine engine(options());
  TuneOptions tune;
  tune.budget_seconds = 1e-3;
  tune.whole = true;
  const TuneReport report = engine.tune(matrix(1000, 1001, 4), tune);
  EXPECT_FALSE(report.stand_in);
  EXPECT_FALSE(report.is_estimate);
  EXPECT_EQ(report.bytes, moved(report.problem));
  EXPECT_EQ(report.why_not_whole, "");
}

// The strategy that is fastest on what stands in must serve the whole as well.
TEST_F(EngineBudget, AllThatIsTriedServesTheWhole) {
  Engine engine(options());
  TuneOptions tune;
  tune.budget_seconds = 0.2;
  const Problem long_rows = matrix(16, 40'000'000, 4);
  const TuneReport report = engine.tune(long_rows, tune);
  ASSERT_TRUE(report.stand_in);
  EXPECT_EQ(report.stand_in->rows, 16);
  PlanOptions estimate;
  estimate.policy = Policy::estimate;
  for (const Trial& trial : report.trials)
    if (trial.timing && trial.role == Role::transpose) {
      estimate.tune.variants = {trial.variant};
      EXPECT_NO_THROW(engine.plan(long_rows, estimate)) << to_string(trial.variant);
    }
}

}  // namespace
}  // namespace xpose
