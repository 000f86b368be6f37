#include "worker/quarantine.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <optional>
#include <vector>

namespace xpose {
namespace {

struct Told {
  Outcome outcome;  // of attempt_twice()
  std::size_t attempts = 0;
  std::optional<Verdict> convicted;
};

// The attempts end as told; their words are their numbers. No worker is started.
Told attempts_that_end(const std::vector<Verdict>& ends) {
  Worker worker("/no/worker", 10);
  Told told;
  const auto attempt = [&](bool again) {
    EXPECT_EQ(again, told.attempts == 1);
    const std::size_t number = told.attempts++;
    return Outcome{ends.at(number), std::to_string(number)};
  };
  told.outcome =
      attempt_twice(worker, attempt, [&](const Outcome& end) { told.convicted = end.verdict; });
  return told;
}

TEST(QuarantineTest, AnAnswerNeedsNoSecondAttempt) {
  for (const Verdict verdict : {Verdict::ok, Verdict::unsupported, Verdict::load_refused}) {
    const Told told = attempts_that_end({verdict});
    EXPECT_EQ(told.attempts, 1U);
    EXPECT_EQ(told.outcome, (Outcome{verdict, "0"}));
    EXPECT_FALSE(told.convicted);
  }
}

TEST(QuarantineTest, TheSameBadEndTwiceConvicts) {
  for (int end = 0; end <= static_cast<int>(Verdict::load_refused); ++end) {
    const auto verdict = static_cast<Verdict>(end);
    if (is_innocent(verdict) || is_answer(verdict)) continue;
    const Told told = attempts_that_end({verdict, verdict});
    EXPECT_EQ(told.attempts, 2U);
    EXPECT_EQ(told.outcome, (Outcome{verdict, "0"}));
    EXPECT_EQ(told.convicted, verdict);
  }
}

TEST(QuarantineTest, OtherEndsConvictNobody) {
  Told told = attempts_that_end({Verdict::crashed, Verdict::ok});
  EXPECT_EQ(told.outcome, (Outcome{Verdict::ok, "1"}));
  EXPECT_FALSE(told.convicted);
  told = attempts_that_end({Verdict::crashed, Verdict::timed_out});
  EXPECT_EQ(told.outcome, (Outcome{Verdict::crashed, "0"}));
  EXPECT_FALSE(told.convicted);
  told = attempts_that_end({Verdict::no_memory, Verdict::no_memory});
  EXPECT_EQ(told.outcome, (Outcome{Verdict::no_memory, "0"}));
  EXPECT_FALSE(told.convicted);
}

// A worker that is given less than the default may have been too busy.
TEST(QuarantineTest, AnImpatientTimeoutConvictsNobody) {
  const double usual = EngineOptions{}.stage_seconds;
  const auto is_convicted = [](double stage_seconds, Verdict verdict) {
    Cache cache("", "", {});
    std::size_t warnings = 0;
    const auto row =
        convict(Worker("/no/worker", stage_seconds), cache, [&](std::string_view) { ++warnings; },
                {"d1", "smem", "smem.so", verdict, "words", 0});
    EXPECT_EQ(cache.find_quarantine("d1", "smem"), row);
    EXPECT_EQ(warnings, row ? 1U : 0U);
    return row.has_value();
  };
  EXPECT_FALSE(is_convicted(usual / 2, Verdict::timed_out));
  EXPECT_TRUE(is_convicted(usual, Verdict::timed_out));
  EXPECT_TRUE(is_convicted(usual / 2, Verdict::crashed));
}

// A library may crash or wait where its allocations fail.
TEST(QuarantineTest, AnEndUnderALimitOnMemoryConvictsNobody) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer has mapped more than any limit lets it";
#endif
  const auto is_convicted = [] {
    Cache cache("", "", {});
    return convict(Worker("/no/worker", 10), cache, {},
                   {"d1", "smem", "smem.so", Verdict::crashed, "words", 0})
        .has_value();
  };
  const auto half = static_cast<rlim_t>(sysconf(_SC_PHYS_PAGES) / 2 * sysconf(_SC_PAGESIZE));
  for (const auto& [which, bytes] : {std::pair(RLIMIT_AS, half), std::pair(RLIMIT_DATA, half),
                                     std::pair(RLIMIT_STACK, rlim_t{512} << 10)}) {
    rlimit before{};
    ASSERT_EQ(getrlimit(which, &before), 0);
    const rlimit less{bytes, before.rlim_max};
    ASSERT_EQ(setrlimit(which, &less), 0);
    EXPECT_FALSE(is_convicted());
    ASSERT_EQ(setrlimit(which, &before), 0);
    EXPECT_TRUE(is_convicted());
  }
}

TEST(QuarantineTest, ARowIsRememberedAndSaidInOneWording) {
  Cache cache("", "", {});
  std::vector<std::string> warnings;
  const Warn warn = [&](std::string_view text) { warnings.emplace_back(text); };
  const Quarantine row =
      put_in_quarantine(cache, warn, {"d1", "smem", "smem.so", Verdict::crashed, "signal 11", 0});
  EXPECT_EQ(cache.find_quarantine("d1", "smem"), row);
  EXPECT_GT(row.since, 0);
  put_in_quarantine(cache, warn, {"d2", "", "bad.so", Verdict::exited, "with status 3", 0});
  EXPECT_EQ(warnings, (std::vector<std::string>{
                          "strategy smem of smem.so is now in quarantine, crashed twice: signal 11",
                          "plugin bad.so is now in quarantine, exited twice: with status 3"}));
}

TEST(QuarantineTest, ADescriptionSaysSinceWhenAndTheWayOut) {
  const Quarantine strategy{"d", "smem", "smem.so", Verdict::crashed, "signal 11", 86400};
  EXPECT_EQ(describe(strategy),
            "in quarantine since 1970-01-02 00:00 UTC: signal 11; rebuild its plugin, or `xpose "
            "cache forget --strategy smem`");
  const Quarantine plugin{"d", "", "smem.so", Verdict::crashed, "signal 11", 0};
  EXPECT_NE(describe(plugin).find("forget --quarantine`"), std::string::npos);
}

}  // namespace
}  // namespace xpose
