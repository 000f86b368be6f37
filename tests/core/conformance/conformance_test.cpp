// Runs of the suite in which the configs take turns.
#include "xpose/conformance.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "conformance/turns.hpp"

namespace xpose {
namespace {

TEST(Turns, TheFirstMeetsAllThatItServesAndTheOthersEquallyMany) {
  Turns turns(3, 0);
  std::vector<int> met(6);
  for (int problem = 0; problem < 10; ++problem) {
    const std::vector<bool> meets = turns.next(std::vector<bool>(6, true));
    for (std::size_t i = 0; i < met.size(); ++i) met[i] += meets[i] ? 1 : 0;
  }
  EXPECT_EQ(met, std::vector<int>({10, 4, 4, 4, 4, 4}));
}

TEST(Turns, AConfigThatServesFewIsNotPassedOver) {
  Turns turns(2, 0);
  for (int problem = 0; problem < 10; ++problem) turns.next({true, true, true, false});
  EXPECT_EQ(turns.next({true, true, true, true}), std::vector<bool>({true, false, false, true}));
}

TEST(Turns, NoneIsLeftOutWhereFewServe) {
  Turns turns(2, 0);
  EXPECT_EQ(turns.next({false, false, true, false}),
            std::vector<bool>({false, false, true, false}));
  EXPECT_EQ(turns.next({false, false, false, false}), std::vector<bool>(4));
  Turns all(0, 0);
  EXPECT_EQ(all.next({true, true, true, true}), std::vector<bool>(4, true));
}

TEST(Turns, BeginElsewhere) {
  const std::vector<bool> serves(8, true);
  EXPECT_NE(Turns(3, 1).next(serves), Turns(3, 4).next(serves));
}

// By the index of a problem.
struct Met {
  std::map<std::size_t, std::set<std::string>> served, declined;
};

// A strategy with twelve configs, of which the largest tiles decline.
Met met(std::size_t max_configs) {
  ConformanceOptions options;
  options.max_elements = 1000;
  options.max_configs = max_configs;
  options.engine.in_process = true;
  options.engine.worker = XPOSE_TRIAL_PROGRAM;
  options.engine.threads = 1;
  Met met;
  check_conformance(
      XPOSE_PLUGINS "/host_blocked.so", {"host_blocked_pad"}, 4,
      [&](const ConformanceCase& one) {
        const bool is_declined = one.verdict == Verdict::unsupported;
        EXPECT_TRUE(is_declined || one.verdict == Verdict::ok) << to_string(one.problem);
        auto& problems = is_declined ? met.declined : met.served;
        EXPECT_TRUE(problems[one.index].insert(to_string(one.variant)).second);
      },
      options);
  return met;
}

TEST(Conformance, EachProblemMeetsTheDefaultAndAsManyOthersAsAreAskedFor) {
  const Met whole = met(0), part = met(3);
  ASSERT_GT(whole.served.size(), 10U);
  ASSERT_EQ(part.served.size(), whole.served.size());
  EXPECT_EQ(part.declined, whole.declined);
  std::set<std::string> all, some;
  for (const auto& [index, configs] : whole.served) {
    const std::set<std::string>& here = part.served.at(index);
    ASSERT_GT(configs.size(), 3U);
    EXPECT_EQ(here.size(), 3U) << index;
    EXPECT_TRUE(here.contains("host_blocked_pad{tile=64,pad=1}")) << index;
    all.insert(configs.begin(), configs.end());
    some.insert(here.begin(), here.end());
  }
  EXPECT_EQ(some, all);
}

TEST(Conformance, AProblemBeyondTheSuiteIsRefused) {
  ConformanceOptions options;
  options.problem = 100'000;
  options.engine.in_process = true;
  options.engine.worker = XPOSE_TRIAL_PROGRAM;
  std::string text;
  try {
    check_conformance(
        XPOSE_PLUGINS "/host_blocked.so", {"host_blocked_pad"}, 4, [](const auto&) {}, options);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::invalid);
    text = error.what();
  }
  EXPECT_NE(text.find("problems for elements of 4 bytes, numbered from 0, and no problem 100000"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace xpose
