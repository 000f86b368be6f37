#include "strategy/outcome.hpp"

#include <gtest/gtest.h>

namespace xpose {
namespace {

TEST(OutcomeTest, AStatusOfTheAbiIsAKindOfError) {
  EXPECT_EQ(kind_of(XPOSE_UNSUPPORTED), ErrorKind::no_strategy);
  EXPECT_EQ(kind_of(XPOSE_INVALID), ErrorKind::invalid);
  EXPECT_EQ(kind_of(XPOSE_NO_MEMORY), ErrorKind::no_memory);
  EXPECT_EQ(kind_of(XPOSE_DEVICE_ERROR), ErrorKind::device);
  EXPECT_EQ(kind_of(XPOSE_FAILED), ErrorKind::failed);
  EXPECT_EQ(kind_of(xpose_status{99}), ErrorKind::failed);  // of a newer minor
}

TEST(OutcomeTest, AVerdictIsAKindOfError) {
  for (int i = 0; i <= static_cast<int>(Verdict::load_refused); ++i) {
    const auto verdict = static_cast<Verdict>(i);
    const ErrorKind kind = verdict == Verdict::unsupported    ? ErrorKind::no_strategy
                           : verdict == Verdict::no_memory    ? ErrorKind::no_memory
                           : verdict == Verdict::device_error ? ErrorKind::device
                                                              : ErrorKind::wrong;
    EXPECT_EQ(kind_of(verdict), kind) << to_string(verdict);
  }
}

TEST(OutcomeTest, AThrownErrorIsAnOutcomeWithItsWords) {
  EXPECT_EQ(outcome_of(Error(ErrorKind::no_memory, "a")), (Outcome{Verdict::no_memory, "a"}));
  EXPECT_EQ(outcome_of(Error(ErrorKind::device, "b")), (Outcome{Verdict::device_error, "b"}));
  for (const ErrorKind kind :
       {ErrorKind::invalid, ErrorKind::no_strategy, ErrorKind::wrong, ErrorKind::failed})
    EXPECT_EQ(outcome_of(Error(kind, "c")), (Outcome{Verdict::protocol_error, "c"}));
}

}  // namespace
}  // namespace xpose
