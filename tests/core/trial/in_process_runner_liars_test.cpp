// Launches that are right only where they are looked at.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <ostream>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "launched.hpp"
#include "problem/normal_form.hpp"

namespace xpose {
namespace {

// Leaves the work out where some places of the output look right.
xpose_status skip_what_looks_right(const xpose_plan* plan, const xpose_launch* launch, xpose_text) {
  const xpose_problem& problem = plan->problem;
  const auto* in = static_cast<const std::uint32_t*>(launch->in);
  const auto* out = static_cast<const std::uint32_t*>(launch->out);
  bool looks_right = true;
  for (std::int64_t i = 1; i < 9; ++i) {
    const std::int64_t r = problem.rows * i / 9, c = problem.cols * i / 9;
    looks_right = looks_right && out[c * problem.out_ld + r] == in[r * problem.in_ld + c];
  }
  if (!looks_right) transpose(plan, launch);
  return XPOSE_OK;
}

// Takes the same buffers for the same content, now and then: not in turn, or it could be always
// while nobody times it.
xpose_status remember_buffers(const xpose_plan* plan, const xpose_launch* launch, xpose_text) {
  static std::set<const void*> met;
  static std::minstd_rand random;
  if (plan->launches++ == 0 || met.insert(launch->out).second || random() % 3 != 0)
    transpose(plan, launch);
  return XPOSE_OK;
}

// Writes all but a 32nd of the output, except where it may be verified.
xpose_status leave_out_a_part(const xpose_plan* plan, const xpose_launch* launch, xpose_text) {
  auto* const out = static_cast<std::uint32_t*>(launch->out);
  const std::int64_t part = plan->problem.rows * plan->problem.cols / 32;
  const std::vector<std::uint32_t> before(out + part, out + 2 * part);
  transpose(plan, launch);
  if (plan->launches++ > 0) std::ranges::copy(before, out + part);
  return XPOSE_OK;
}

std::jthread later;
xpose_status finish_later(const xpose_plan* plan, const xpose_launch* launch, xpose_text) {
  later = std::jthread([problem = *plan, launch = *launch] {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    transpose(&problem, &launch);
  });
  return XPOSE_OK;
}

struct Liar {
  const char* name;
  decltype(xpose_strategy::launch) launch;
};
void PrintTo(const Liar& liar, std::ostream* out) { *out << liar.name; }

class Lying : public testing::TestWithParam<Liar> {};

TEST_P(Lying, IsFoundWhenItIsTimed) {
  const Launched launched(GetParam().launch);
  for (const Problem& problem : {matrix(96, 80, 4), matrix(1040, 1000, 4)})  // together and alone
    for (const bool warm : {false, true}) {
      InProcessRunner runner(backend(Device{}), normal_form(problem), 1, warm);
      Outcome outcome = runner.verify(launched.candidate);
      for (int samples = 0; samples < 200 && outcome.verdict == Verdict::ok; ++samples)
        outcome = runner.time(launched.candidate).outcome;
      EXPECT_EQ(outcome.verdict, Verdict::wrong_result) << outcome.detail;
      if (later.joinable()) later.join();  // while the buffers are there
    }
}

INSTANTIATE_TEST_SUITE_P(Host, Lying,
                         testing::Values(Liar{"SkipsWhatLooksRight", skip_what_looks_right},
                                         Liar{"RemembersBuffers", remember_buffers},
                                         Liar{"LeavesOutAPart", leave_out_a_part},
                                         Liar{"FinishesLater", finish_later}),
                         [](const auto& info) { return info.param.name; });

// Does its work once on each pair of buffers.
xpose_status serve_once(const xpose_plan* plan, const xpose_launch* launch, xpose_text) {
  static std::set<const void*> met;
  if (met.insert(launch->out).second) transpose(plan, launch);
  return XPOSE_OK;
}

// It does all of its work where it is timed, on the many pairs of a small problem.
TEST(Lying, WhoServesBuffersOnceIsFoundByItsLastVerification) {
  const Launched launched(serve_once);
  InProcessRunner runner(backend(Device{}), normal_form(matrix(640, 640, 4)), 1, false);
  EXPECT_EQ(runner.verify(launched.candidate), Outcome{});
  EXPECT_EQ(runner.time(launched.candidate).outcome, Outcome{});
  EXPECT_EQ(runner.verify(launched.candidate).verdict, Verdict::wrong_result);
}

}  // namespace
}  // namespace xpose
