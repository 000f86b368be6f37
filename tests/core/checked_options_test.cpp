#include "checked_options.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "engine_fixture.hpp"
#include "xpose/conformance.hpp"
#include "xpose/route.hpp"

namespace xpose {
namespace {

TEST(CheckedOptions, OptionsThatMeanNothingAreRefused) {
  Engine none(own_plugins());
  const Problem problem = matrix(10, 12, 4);
  const auto planning = [&](const auto& change) {
    PlanOptions options;
    change(options);
    const std::string refused = refusal_of([&] { none.plan(problem, options); });
    if (options.policy == Policy::measure) {
      EXPECT_EQ(refusal_of([&] { none.tune(problem, options.tune); }), refused);
    }
    return refused;
  };
  EXPECT_EQ(planning([](PlanOptions& options) { options.policy = static_cast<Policy>(99); }),
            "policy 99 is none of xpose::Policy; state Policy::measure, Policy::estimate or "
            "Policy::cached_only");
  EXPECT_EQ(planning([](PlanOptions& options) { options.tune.budget_seconds = -1; }),
            "TuneOptions::budget_seconds is -1.000000; state 0 seconds, with which nothing is "
            "tried, or more");
  EXPECT_NE(planning([](PlanOptions& options) {
              options.tune.budget_seconds = std::numeric_limits<double>::quiet_NaN();
            }).find("budget_seconds is nan"),
            std::string::npos);
  EXPECT_EQ(planning([](PlanOptions& options) { options.tune.max_rounds = 0; }),
            "TuneOptions::max_rounds is 0; state 1 round or more");
  std::vector<std::uint32_t> memory(240);
  EXPECT_NE(refusal_of([&] {
              none.transpose(memory.data(), memory.data() + 120, problem, nullptr,
                             static_cast<Policy>(-1));
            }).find("policy -1"),
            std::string::npos);
  const Placement one = on_one_rank(2, 2, 4);
  RouteOptions route;
  route.plan.policy = static_cast<Policy>(99);
  EXPECT_NE(refusal_of([&] { none.route(one, one, route); }).find("policy 99"), std::string::npos);
}

TEST(CheckedOptions, AStageOfATrialNeedsTime) {
  for (const double seconds : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    EngineOptions options = own_plugins();
    options.stage_seconds = seconds;
    EXPECT_NE(refusal_of([&] { const Engine engine(options); })
                  .find("EngineOptions::stage_seconds is " + std::to_string(seconds) +
                        "; a stage of a trial needs more than 0 seconds"),
              std::string::npos);
    EXPECT_NE(refusal_of([&] { inspect_plugin("any.so", options); }).find("stage_seconds"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace xpose
