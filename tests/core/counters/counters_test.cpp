// What needs no device: the plan of a count, and what is said where counting cannot be.
#include "counters/counters.hpp"

#include <gtest/gtest.h>

namespace xpose {
namespace {

// No line for a person may be empty or two.
void expect_one_line(const std::string& text) {
  EXPECT_FALSE(text.empty());
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
}

template <class Answer>
std::string denial(const Answer& answer) {
  const auto* text = std::get_if<std::string>(&answer);
  return text == nullptr ? "" : *text;
}

#ifdef XPOSE_WITH_CUPTI

CounterSchedule scheduled(const std::string& chip) {
  auto answer = counter_schedule(chip);
  if (const std::string text = denial(answer); !text.empty()) {
    ADD_FAILURE() << text;
    return {};
  }
  return std::get<CounterSchedule>(answer);
}

// Skipped where CUPTI's library is missing though its headers were there.
class CounterScheduleTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::string text = denial(counter_schedule("GH100"));
    if (text.find("CUPTI not found") != std::string::npos) GTEST_SKIP() << "SKIPPED: " << text;
  }
};

TEST_F(CounterScheduleTest, EveryMetricIsKnownFromComputeCapability80On) {
  for (const char* chip : {"GA100", "GA102", "AD102", "GH100", "GB100"}) {
    const CounterSchedule schedule = scheduled(chip);
    EXPECT_EQ(schedule.metrics.size(), 11U) << chip;
    EXPECT_TRUE(schedule.unknown.empty())
        << chip << ": " << testing::PrintToString(schedule.unknown);
    EXPECT_GE(schedule.passes, 1U) << chip;
    EXPECT_LE(schedule.passes, 9U) << chip;
  }
}

TEST_F(CounterScheduleTest, AChipThatIsUnknownIsSaidSo) {
  const std::string text = denial(counter_schedule("no such chip"));
  expect_one_line(text);
  EXPECT_NE(text.find("this CUPTI does not know the chip"), std::string::npos) << text;
}

TEST(Counters, ADeviceThatIsNotThereIsOneLine) {
  for (const std::string& text :
       {denial(count({DeviceKind::cuda, 999}, [] { FAIL(); })),
        denial(launched_kernels({DeviceKind::cuda, 999}, [] { FAIL(); }))}) {
    expect_one_line(text);
    // Without a driver, with one and no device, with one and others.
    EXPECT_TRUE(text.find("NVIDIA's driver not found") != std::string::npos ||
                text.find("starting the driver: ") != std::string::npos ||
                text.find("looking for cuda:999: ") != std::string::npos)
        << text;
  }
}

TEST(Counters, TheHostHasNoneThatAreRead) {
  const std::string text = denial(count({DeviceKind::host, 0}, [] { FAIL(); }));
  EXPECT_EQ(text, "host has no counters that xpose reads: count on a CUDA device");
}

#else

TEST(Counters, ABuildWithoutCuptiSaysSo) {
  for (const std::string& text :
       {denial(counter_schedule("GH100")), denial(count({DeviceKind::cuda, 0}, [] { FAIL(); })),
        denial(launched_kernels({DeviceKind::cuda, 0}, [] { FAIL(); }))}) {
    expect_one_line(text);
    EXPECT_EQ(text.rfind("built without CUPTI", 0), 0U) << text;
  }
}

#endif

}  // namespace
}  // namespace xpose
