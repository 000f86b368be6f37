// Figures in a quote that are too good do not displace the fastest strategy.
#include <gtest/gtest.h>

#include <sstream>

#include "enclosure.hpp"

namespace xpose::zoo {
namespace {

namespace fs = std::filesystem;

const Problem kProblem = matrix(1024, 1024, 4);

std::vector<fs::path> good_plugins(bool many_liars) {
  std::vector<fs::path> files;
  for (const char* name : {"host_simd.so", "host_blocked.so", "host_naive.so", "host_copy.so"})
    files.push_back(fs::path(XPOSE_PLUGINS) / name);
  std::istringstream liars(ZOO_ANIMALS);
  if (many_liars)
    for (std::string name; liars >> name;)
      if (name != "claims") files.push_back(animal_file(name));
  return files;
}

bool lies(const std::string& strategy) { return strategy.starts_with("claims"); }

TuneOptions within(double seconds) {
  TuneOptions options;
  options.budget_seconds = seconds;
  return options;
}

class Claims : public testing::TestWithParam<bool> {
 protected:
  Enclosure enclosure{animal_file("claims"), good_plugins(GetParam())};

  std::string planned(const PlanOptions& options) {
    Engine engine(enclosure.options(60));
    return engine.plan(kProblem, options).variant().strategy;
  }
  TuneReport tuned(double seconds) {
    Engine engine(enclosure.options(60));
    TuneOptions options = within(seconds);
    options.every_strategy = true;
    return engine.tune(kProblem, options);
  }
};

TEST_P(Claims, DoNotBuyAPlan) {
  for (const double budget : {0.3, 2.0}) {
    fs::remove(enclosure.cache());
    for (int again = 0; again < 2; ++again) {
      const std::string strategy = planned({.tune = within(budget)});
      EXPECT_FALSE(lies(strategy)) << strategy << " in " << budget << " s, again " << again;
    }
  }
}

TEST_P(Claims, DoNotBuyATune) {
  for (const double budget : {0.3, 2.0}) {
    const TuneReport report = tuned(budget);
    ASSERT_TRUE(report.winner);
    EXPECT_FALSE(lies(report.trials[*report.winner].variant.strategy)) << budget;
    const Trial* const fast = find_trial(report, "host_simd");
    ASSERT_NE(fast, nullptr);
    EXPECT_TRUE(fast->timing) << fast->detail;
    EXPECT_EQ(fast->discount, 1);
  }
}

TEST_P(Claims, DoNotBuyAnEstimate) {
  const PlanOptions estimate{.policy = Policy::estimate};
  EXPECT_EQ(planned(estimate), "host_simd");
  tuned(0.3);
  Engine engine(enclosure.options(60));
  EXPECT_EQ(engine.plan(matrix(2048, 1024, 4), estimate).variant().strategy, "host_simd");
}

INSTANTIATE_TEST_SUITE_P(Liars, Claims, testing::Bool(),
                         [](const auto& info) { return info.param ? "Ten" : "One"; });

// Its author sees what was predicted, what was measured, and what that made of its predictions.
TEST(ClaimsAlone, ArePutBesideWhatWasMeasured) {
  Enclosure enclosure(animal_file("claims"), good_plugins(false));
  TuneOptions options = within(60);  // enough on any machine
  options.max_rounds = 2;
  options.every_strategy = true;
  {
    Engine engine(enclosure.options(60));
    const TuneReport report = engine.tune(kProblem, options);
    const Trial* const trial = find_trial(report, "claims");
    ASSERT_NE(trial, nullptr);
    EXPECT_GT(trial->predicted_share, 0.95);
    EXPECT_EQ(trial->discount, 0);
    ASSERT_TRUE(trial->timing);
  }
  Engine engine(enclosure.options(60));
  const TuneReport report = engine.tune(kProblem, options);
  const Trial* const trial = find_trial(report, "claims");
  if (trial != nullptr) {
    EXPECT_GT(trial->discount, 2);
  } else {
    EXPECT_EQ(report.untried_strategies.back(), "claims");  // far behind, now that it is known
  }
}

}  // namespace
}  // namespace xpose::zoo
