#include "trial/examination.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

#include "problem/normal_form.hpp"
#include "trial/in_process_runner.hpp"

struct xpose_plan {
  xpose_problem problem;
};

namespace xpose {
namespace {

xpose_status make(const xpose_problem* problem, const int64_t*, xpose_plan** plan, xpose_text) {
  *plan = new xpose_plan{*problem};
  return XPOSE_OK;
}
void destroy(xpose_plan* plan) { delete plan; }

void transpose(const xpose_plan* plan, const xpose_launch* launch) {
  const auto* in = static_cast<const std::uint32_t*>(launch->in);
  auto* out = static_cast<std::uint32_t*>(launch->out);
  for (std::int64_t r = 0; r < plan->problem.rows; ++r)
    for (std::int64_t c = 0; c < plan->problem.cols; ++c)
      out[c * plan->problem.out_ld + r] = in[r * plan->problem.in_ld + c];
}

// What a launch does beside its work; what an examination of it finds.
Outcome examined(std::function<void(const xpose_launch&)> also, const Problem& problem,
                 std::vector<std::string>* stages = nullptr) {
  static std::function<void(const xpose_launch&)> misdeed;
  misdeed = std::move(also);
  xpose_strategy functions{};
  functions.create = make;
  functions.destroy = destroy;
  functions.launch = [](const xpose_plan* plan, const xpose_launch* launch,
                        xpose_text) -> xpose_status {
    transpose(plan, launch);
    misdeed(*launch);
    return XPOSE_OK;
  };
  Strategy strategy;
  strategy.functions = &functions;
  Candidate candidate;
  candidate.strategy = &strategy;
  InProcessRunner runner(backend(Device{}), normal_form(problem), 1, true,
                         [&](std::string_view stage) {
                           if (stages != nullptr) stages->emplace_back(stage);
                         });
  return runner.examine(candidate);
}

int byte_at(const void* memory, std::ptrdiff_t at) {
  return static_cast<const volatile unsigned char*>(memory)[at];
}

TEST(Examination, FindsNothingInWhatIsRight) {
  std::vector<std::string> stages;
  EXPECT_EQ(examined([](const auto&) {}, matrix(40, 30, 4), &stages), Outcome{});
  EXPECT_EQ(stages, (std::vector<std::string>{"create", "launch in other buffers",
                                              "launch from two threads at once"}));
}

TEST(Examination, FindsReadsOnBothSidesOfTheInput) {
  const Problem problem = matrix(41, 31, 4);  // of 5084 bytes, each row aligned to 4
  const Outcome before = examined([](const auto& launch) { byte_at(launch.in, -1); }, problem);
  EXPECT_EQ(before, (Outcome{Verdict::read_outside,
                             "in buffers that begin a page, touched memory "
                             "1 bytes before the input"}));
  const Outcome past =
      examined([](const auto& launch) { byte_at(launch.in, 41 * 31 * 4); }, problem);
  EXPECT_EQ(past, (Outcome{Verdict::read_outside,
                           "in buffers that end a page, with other bytes in their gaps, touched "
                           "memory 0 bytes past the input's end"}));
}

TEST(Examination, FindsReadsOutsideTheOutput) {
  const Outcome past =
      examined([](const auto& launch) { byte_at(launch.out, 41 * 31 * 4); }, matrix(41, 31, 4));
  EXPECT_EQ(past.verdict, Verdict::read_outside);
  EXPECT_NE(past.detail.find("0 bytes past the output's end"), std::string::npos) << past.detail;
}

TEST(Examination, FindsTheInputWrittenWithWhatItHolds) {
  const Outcome same = examined(
      [](const auto& launch) {
        auto* byte = static_cast<volatile unsigned char*>(const_cast<void*>(launch.in)) + 9;
        *byte = *byte;
      },
      matrix(41, 31, 4));
  EXPECT_EQ(same.verdict, Verdict::modified_input);
  EXPECT_NE(same.detail.find("wrote to the byte 9 of the input"), std::string::npos) << same.detail;
}

TEST(Examination, AWriteOutsideIsMoreThanATouch) {
  const Outcome wrote = examined(
      [](const auto& launch) { static_cast<unsigned char*>(launch.out)[41 * 31 * 4] ^= 1; },
      matrix(41, 31, 4));
  EXPECT_EQ(wrote.verdict, Verdict::wrote_outside);
}

TEST(Examination, FindsThatTwoLaunchesDisturbEachOther) {
  static std::atomic<int> inside = 0;
  const Outcome disturbed = examined(
      [](const auto& launch) {
        const bool alone = ++inside == 1;
        std::this_thread::sleep_for(std::chrono::microseconds(200));
        if (--inside > 0 || !alone) *static_cast<unsigned char*>(launch.out) ^= 1;
      },
      matrix(20, 30, 4));
  EXPECT_EQ(disturbed.verdict, Verdict::wrong_result);
  EXPECT_EQ(disturbed.detail.find("from two threads at once, out[0,0] should be in[0,0]"), 0U)
      << disturbed.detail;
}

}  // namespace
}  // namespace xpose
