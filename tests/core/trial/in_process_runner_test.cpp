#include "trial/in_process_runner.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "launched.hpp"
#include "problem/normal_form.hpp"
#include "watched_host.hpp"

namespace xpose {
namespace {

xpose_status transpose_once(const xpose_plan* plan, const xpose_launch* launch, xpose_text) {
  if (plan->launches++ == 0) transpose(plan, launch);
  return XPOSE_OK;
}

xpose_status decline(const xpose_problem*, const int64_t*, xpose_plan**, xpose_text error) {
  std::strncpy(error.data, "changed its mind", error.capacity);
  return XPOSE_UNSUPPORTED;
}
void destroy(xpose_plan*) {}

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
xpose_status launch_slowly(const xpose_plan* plan, const xpose_launch* launch, xpose_text) {
  ++launches;
  transpose(plan, launch);
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  return XPOSE_OK;
}
xpose_status launch_at_once(const xpose_plan* plan, const xpose_launch* launch, xpose_text) {
  transpose(plan, launch);
  return XPOSE_OK;
}

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

// Memory runs out while it is timed, where elements of the buffers have been changed.
// The first of all launches alone is right: a plan is made anew after its verification, and one
// long launch may be all that is timed.
xpose_status run_out_of_memory(const xpose_plan* plan, const xpose_launch* launch, xpose_text) {
  if (launches++ > 0) return XPOSE_NO_MEMORY;
  transpose(plan, launch);
  return XPOSE_OK;
}

// A large cache may hold all pairs of a small problem, as the launch before has left them.
TEST(InProcessRunner, AColdLaunchFindsNoLinesOfItsBuffers) {
  const Launched always(launch_at_once);
  for (const bool warm : {false, true}) {
    WatchedHost host;
    host.seconds_of_a_launch = 1e-6;
    InProcessRunner runner(host, normal_form(matrix(4, 5, 4)), 1, warm);
    ASSERT_EQ(runner.verify(always.candidate).verdict, Verdict::ok);
    ASSERT_EQ(runner.time(always.candidate).outcome.verdict, Verdict::ok);
    EXPECT_GT(host.launches, 1);
    EXPECT_EQ(host.dropped, warm ? 0 : 2 * host.launches);
    EXPECT_EQ(host.cleanings, 0);
  }
}

TEST(InProcessRunner, NoStrategyIsBlamedForWhatAnotherHasLeftInTheBuffers) {
  launches = 0;
  const Launched failing(run_out_of_memory, "failing"), right(launch_at_once, "right");
  InProcessRunner runner(backend(Device{}), normal_form(matrix(64, 64, 4)), 1, true);
  for (int turn = 0; turn < 3; ++turn) {
    runner.verify(failing.candidate);
    EXPECT_EQ(runner.time(failing.candidate).outcome.verdict, Verdict::no_memory);
    EXPECT_EQ(runner.verify(right.candidate), Outcome{});
    EXPECT_EQ(runner.time(failing.candidate).outcome.verdict, Verdict::no_memory);
    EXPECT_EQ(runner.time(right.candidate).outcome, Outcome{});
  }
}

// A right launch is not accused, whatever the layout and the content.
TEST(InProcessRunner, TimesWhatIsRight) {
  Problem padded = matrix(35, 31, 4);
  padded.in_ld = 40;
  padded.out_ld = 43;
  Problem misaligned = matrix(67, 61, 4);
  misaligned.in_alignment = misaligned.out_alignment = 4;
  const Launched launched(launch_at_once);
  Candidate numeric = launched.candidate;
  numeric.role = Role::numeric;
  for (const Problem& problem :
       {matrix(2, 3, 4), matrix(64, 64, 4), padded, misaligned, matrix(1040, 1000, 4)})
    for (const Candidate& candidate : {launched.candidate, numeric}) {
      InProcessRunner runner(backend(Device{}), normal_form(problem), 1, false);
      for (int round = 0; round < 3; ++round) {
        EXPECT_EQ(runner.verify(candidate).detail, "") << to_string(problem);
        EXPECT_EQ(runner.time(candidate).outcome.detail, "") << to_string(problem);
      }
    }
}

xpose_status copy_slowly(const xpose_plan* plan, const xpose_launch* launch, xpose_text) {
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // whatever disturbs the other
  std::memcpy(launch->out, launch->in,
              static_cast<std::size_t>(plan->problem.rows * plan->problem.cols) * 4);
  return XPOSE_OK;
}

// A share of over 110 % of the roof is doubted, and said so where it holds.
TEST(InProcessRunner, WhatBeatsTheCopiesIsTimedUnderSuspicionAndSaysSo) {
  Launched copies(copy_slowly, "copy");
  copies.candidate.role = Role::copy;
  const Launched quick(launch_at_once, "quick");
  InProcessRunner runner(backend(Device{}), normal_form(matrix(64, 64, 4)), 1, false);
  EXPECT_EQ(runner.time(copies.candidate).outcome.detail, "");
  for (int round = 0; round < 2; ++round) {
    const Sample sample = runner.time(quick.candidate);
    EXPECT_EQ(sample.outcome.verdict, Verdict::ok);
    EXPECT_NE(sample.outcome.detail.find("faster than every copy: timed again"), std::string::npos)
        << sample.outcome.detail;
  }
}

}  // namespace
}  // namespace xpose
