#include "trial/in_process_runner.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "problem/normal_form.hpp"

namespace xpose {
namespace {

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
  const Finding finding = runner.verify(candidate);
  EXPECT_EQ(finding.verdict, Verdict::protocol_error);
  EXPECT_EQ(finding.detail,
            "accepted by quote, but fickle failed to make a plan: changed its mind");
  EXPECT_EQ(runner.time(candidate).finding.verdict, Verdict::protocol_error);
}

}  // namespace
}  // namespace xpose
