#include "trial/in_process_runner.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <thread>

#include "problem/normal_form.hpp"

// A plan that is right at its first launch alone.
struct xpose_plan {
  xpose_problem problem;
  mutable int launches = 0;
};

namespace xpose {
namespace {

int destroyed = 0;

xpose_status make(const xpose_problem* problem, const int64_t*, xpose_plan** plan, xpose_text) {
  *plan = new xpose_plan{*problem};
  return XPOSE_OK;
}
xpose_status transpose_once(const xpose_plan* plan, const xpose_launch* launch, xpose_text) {
  if (plan->launches++ > 0) return XPOSE_OK;
  const auto* in = static_cast<const std::uint32_t*>(launch->in);
  auto* out = static_cast<std::uint32_t*>(launch->out);
  for (std::int64_t r = 0; r < plan->problem.rows; ++r)
    for (std::int64_t c = 0; c < plan->problem.cols; ++c)
      out[c * plan->problem.out_ld + r] = in[r * plan->problem.in_ld + c];
  return XPOSE_OK;
}
void count_and_delete(xpose_plan* plan) {
  if (plan != nullptr) ++destroyed;
  delete plan;
}

xpose_status decline(const xpose_problem*, const int64_t*, xpose_plan**, xpose_text error) {
  std::strncpy(error.data, "changed its mind", error.capacity);
  return XPOSE_UNSUPPORTED;
}
void destroy(xpose_plan*) {}

// A candidate whose plans are made as above and launched so.
struct Launched {
  explicit Launched(decltype(xpose_strategy::launch) launch, const char* name = "") {
    functions.create = make;
    functions.launch = launch;
    functions.destroy = count_and_delete;
    strategy.functions = &functions;
    candidate.strategy = &strategy;
    candidate.variant.strategy = name;
  }
  Launched(const Launched&) = delete;

  xpose_strategy functions{};
  Strategy strategy;
  Candidate candidate;
};

TEST(InProcessRunner, DecliningWhatTheQuoteAcceptedIsAFailure) {
  xpose_strategy functions{};
  functions.create = decline;
  functions.destroy = destroy;
  Strategy strategy;
  strategy.info.name = "fickle";
  strategy.functions = &functions;
  Candidate candidate;
  candidate.strategy = &strategy;
  candidate.variant.strategy = "fickle";
  InProcessRunner runner(backend(Device{}), normal_form(matrix(5, 7, 4)), 1, true);
  const Outcome outcome = runner.verify(candidate);
  EXPECT_EQ(outcome.verdict, Verdict::protocol_error);
  EXPECT_EQ(outcome.detail,
            "accepted by quote, but fickle failed to make a plan: changed its mind");
  EXPECT_EQ(runner.time(candidate).outcome.verdict, Verdict::protocol_error);
}

TEST(InProcessRunner, DestroysOnePlanAndLaunchesTheNextAgainAndAgain) {
  const Launched once(transpose_once);
  const Candidate& candidate = once.candidate;
  std::vector<std::string> stages;
  InProcessRunner runner(backend(Device{}), normal_form(matrix(5, 7, 4)), 1, true,
                         [&](std::string_view stage) { stages.emplace_back(stage); });
  EXPECT_EQ(runner.verify(candidate).verdict, Verdict::ok);
  EXPECT_EQ(destroyed, 1);
  EXPECT_EQ(runner.verify(candidate).verdict, Verdict::ok);
  EXPECT_EQ(runner.verify(candidate).verdict, Verdict::wrong_result);  // the same plan
  EXPECT_EQ(destroyed, 1);
  EXPECT_EQ(stages, (std::vector<std::string>{"create", "launch", "check", "destroy", "create",
                                              "launch", "check", "launch", "check"}));
}

int launches = 0;
xpose_status launch_slowly(const xpose_plan*, const xpose_launch*, xpose_text) {
  ++launches;
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  return XPOSE_OK;
}
xpose_status launch_at_once(const xpose_plan*, const xpose_launch*, xpose_text) { return XPOSE_OK; }

// On the host a launch that is far behind the fastest when it is verified times it.
TEST(InProcessRunner, WhatIsFarSlowerIsLaunchedOnceUntilAskedAgain) {
  const Launched slowly(launch_slowly, "slow"), at_once(launch_at_once, "quick");
  const Candidate &slow = slowly.candidate, &quick = at_once.candidate;

  InProcessRunner alone(backend(Device{}), normal_form(matrix(5, 7, 4)), 1, true);
  alone.verify(slow);
  EXPECT_GE(alone.time(slow).seconds, 0.03);  // nothing to compare with: timed by itself
  EXPECT_EQ(launches, 2);

  launches = 0;
  InProcessRunner runner(backend(Device{}), normal_form(matrix(5, 7, 4)), 1, true);
  runner.time(quick);
  runner.verify(slow);
  EXPECT_GE(runner.time(slow).seconds, 0.03);
  EXPECT_EQ(launches, 1);
  runner.time(slow);  // who asks again doubts it
  EXPECT_EQ(launches, 2);
  runner.time(slow);  // a later round
  EXPECT_EQ(launches, 3);
}

TEST(InProcessRunner, AWarmSampleFollowsAnUntimedCall) {
  const Launched slowly(launch_slowly);
  const Candidate& candidate = slowly.candidate;
  for (const bool warm : {true, false}) {
    InProcessRunner runner(backend(Device{}), normal_form(matrix(5, 7, 4)), 1, warm);
    launches = 0;
    runner.time(candidate);
    EXPECT_EQ(launches, 1);
    runner.time(candidate);
    EXPECT_EQ(launches, warm ? 3 : 2);
  }
}

}  // namespace
}  // namespace xpose
