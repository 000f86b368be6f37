#include "tuning/trial_subject.hpp"

#include <gtest/gtest.h>

#include "problem/normal_form.hpp"
#include "trial/arena.hpp"

namespace xpose {
namespace {

constexpr std::uint64_t kGibibyte = 1 << 30;
constexpr std::uint64_t kPlenty = 1000 * kGibibyte;

DeviceInfo host(std::uint32_t processors = 2) {
  DeviceInfo info{};
  info.multiprocessors = processors;
  info.cache_bytes = 32 << 20;
  return info;
}

DeviceInfo gpu() {
  DeviceInfo info{};
  info.device = {DeviceKind::cuda, 0};
  info.multiprocessors = 132;
  info.cache_bytes = 50 << 20;
  return info;
}

Problem square(std::int64_t extent, std::uint32_t bytes) {
  return normal_form(matrix(extent, extent, bytes));
}

TEST(TrialSubject, AProblemThatFitsIsTriedItself) {
  const TrialSubject subject = trial_subject(square(4096, 4), host(), 2, kPlenty);
  EXPECT_EQ(subject.problem, square(4096, 4));
  EXPECT_EQ(subject.why, "");
}

TEST(TrialSubject, ALargerBudgetTriesTheWhole) {
  const Problem large = square(20000, 4);
  for (const double budget : {0.5, 2.0, 5.0}) {
    const TrialSubject subject = trial_subject(large, host(), budget, kPlenty);
    ASSERT_TRUE(subject.problem) << budget;
    EXPECT_NE(*subject.problem, large) << budget;
    EXPECT_LE(least_trial_seconds(host(), Arena::footprint(*subject.problem, 1)), budget);
  }
  EXPECT_EQ(trial_subject(large, host(), 30, kPlenty).problem, large);
}

TEST(TrialSubject, AReasonHasTheCostOfTheWhole) {
  const TrialSubject subject = trial_subject(square(20000, 4), host(), 2, kPlenty);
  EXPECT_EQ(subject.why, "trials of the whole would take about 10 s of a budget of 2 s");
  const TrialSubject without = trial_subject(square(20000, 4), host(), 100, kGibibyte);
  EXPECT_EQ(without.why, "trials of the whole take 3052 MiB of memory, and 1024 MiB are free");
}

TEST(TrialSubject, MoreProcessorsTryLargerProblems) {
  EXPECT_NE(trial_subject(square(12000, 4), host(2), 2, kPlenty).problem, square(12000, 4));
  EXPECT_EQ(trial_subject(square(12000, 4), host(16), 2, kPlenty).problem, square(12000, 4));
}

// A launch of many times a copy's time exceeds the budget by a quarter at most.
TEST(TrialSubject, AStandInIsSmallEnoughForASlowLaunch) {
  const Problem tried = *trial_subject(square(65536, 1), host(), 2, kPlenty).problem;
  constexpr double kCopyBytesPerSecond = 10e9;
  EXPECT_LT(36 * static_cast<double>(Arena::footprint(tried, 1)) / kCopyBytesPerSecond,
            0.25 * 2 + 0.3);
}

TEST(TrialSubject, WithoutABudgetNothingIsTried) {
  for (const Problem& problem : {square(3, 4), square(20000, 4)}) {
    const TrialSubject subject = trial_subject(problem, host(), 0, kPlenty);
    EXPECT_FALSE(subject.problem);
    EXPECT_NE(subject.why, "");
  }
  EXPECT_TRUE(trial_subject(square(3, 4), host(), 0.01, kPlenty).problem);
  EXPECT_FALSE(trial_subject(square(20000, 4), host(), 0.01, kPlenty).problem);
}

TEST(TrialSubject, AProblemBeyondTheMemoryHasASmallerStandIn) {
  const Problem large = square(20000, 4);
  const TrialSubject subject = trial_subject(large, host(), 100, kGibibyte);
  ASSERT_TRUE(subject.problem);
  EXPECT_LT(Arena::footprint(*subject.problem, 1), kGibibyte);
  EXPECT_FALSE(trial_subject(large, host(), 100, 10 << 20).problem);
  EXPECT_FALSE(trial_subject(large, host(), 100, 0).problem);
}

// The memory that pushes buffers out of the caches counts as well.
TEST(TrialSubject, MemoryThatCleansCachesCounts) {
  DeviceInfo large_cache = host();
  large_cache.cache_bytes = 480 << 20;
  const Problem problem = square(12000, 4);  // 1099 MiB, and 720
  EXPECT_EQ(trial_subject(problem, host(), 100, 3 * kGibibyte / 2).problem, problem);
  EXPECT_NE(trial_subject(problem, large_cache, 100, 3 * kGibibyte / 2).problem, problem);
  EXPECT_EQ(trial_subject(problem, large_cache, 100, 5 * kGibibyte / 2).problem, problem);
}

// A GPU fills and compares buffers too fast for the budget to matter.
TEST(TrialSubject, AGpuTriesAnyProblemThatFitsIntoItsMemory) {
  Problem bytes = square(70000, 1);
  Problem wide = square(16384, 16);
  for (Problem* problem : {&bytes, &wide}) {
    problem->device = gpu().device;
    EXPECT_EQ(trial_subject(*problem, gpu(), 2, 78 * kGibibyte).problem, *problem);
    const TrialSubject small = trial_subject(*problem, gpu(), 2, 6 * kGibibyte);
    ASSERT_TRUE(small.problem);
    EXPECT_LE(Arena::footprint(*small.problem, 1), 6 * kGibibyte);
    EXPECT_GT(Arena::footprint(*small.problem, 1), kGibibyte);
  }
}

// A policy whose trials take no time until a test adds some.
RacePolicy free_of_cost() {
  RacePolicy policy;
  policy.host_fixed_seconds = policy.gpu_fixed_seconds = 0;
  policy.host_make_seconds = policy.gpu_make_seconds = 0;
  policy.host_try_seconds = policy.gpu_try_seconds = 0;
  policy.least_tries = 3;
  return policy;
}

TEST(TrialSubjectPolicy, SecondsAreASumOverTheStepsOfTrials) {
  RacePolicy policy = free_of_cost();
  EXPECT_EQ(least_trial_seconds(host(2), 1000, policy), 0);
  policy.host_fixed_seconds = 5;
  EXPECT_EQ(least_trial_seconds(host(2), 1000, policy), 5);
  policy.host_make_seconds = 0.01;
  EXPECT_DOUBLE_EQ(least_trial_seconds(host(2), 1000, policy), 15);
  policy.host_try_seconds = 0.1;
  EXPECT_DOUBLE_EQ(least_trial_seconds(host(2), 1000, policy), 15 + 3 * 50);
  policy.least_tries = 4;
  EXPECT_DOUBLE_EQ(least_trial_seconds(host(2), 1000, policy), 15 + 4 * 50);
  policy.host_processors = 1;  // the other one makes no try faster
  EXPECT_DOUBLE_EQ(least_trial_seconds(host(2), 1000, policy), 15 + 4 * 100);
  EXPECT_EQ(least_trial_seconds(gpu(), 1000, policy), 0);
}

TEST(TrialSubjectPolicy, AGpusSecondsAreSharedByItsMultiprocessors) {
  RacePolicy policy = free_of_cost();
  policy.gpu_fixed_seconds = 5;
  EXPECT_EQ(least_trial_seconds(gpu(), 1320, policy), 5);
  policy.gpu_make_seconds = 1;
  EXPECT_DOUBLE_EQ(least_trial_seconds(gpu(), 1320, policy), 15);
  policy.gpu_try_seconds = 2;
  EXPECT_DOUBLE_EQ(least_trial_seconds(gpu(), 1320, policy), 15 + 3 * 20);
}

TEST(TrialSubjectPolicy, MemoryThatCleansCachesIsMadeToo) {
  RacePolicy policy = free_of_cost();
  policy.host_make_seconds = 0.01;
  policy.cleaning_caches = 2;
  DeviceInfo small_cache = host();
  small_cache.cache_bytes = 300;
  EXPECT_DOUBLE_EQ(least_trial_seconds(small_cache, 600, policy), 6);  // their lines are dropped
  EXPECT_DOUBLE_EQ(least_trial_seconds(small_cache, 1000, policy), 16);
}

TEST(TrialSubjectPolicy, MoreTriesMakeAStandInSmaller) {
  const auto footprint = [](double full_tries) {
    RacePolicy policy;
    policy.full_tries = full_tries;
    return Arena::footprint(*trial_subject(square(20000, 4), host(), 2, kPlenty, policy).problem,
                            1);
  };
  EXPECT_LT(footprint(48), footprint(24));
}

TEST(TrialSubjectPolicy, TrialsTakeTheirShareOfTheMemory) {
  const Problem problem = square(4096, 4);  // 128 MiB, and 48 that clean caches
  RacePolicy policy;
  EXPECT_EQ(trial_subject(problem, host(), 100, 400 << 20, policy).problem, problem);
  policy.memory_share = 0.4;
  EXPECT_NE(trial_subject(problem, host(), 100, 400 << 20, policy).problem, problem);
}

TEST(TrialSubjectPolicy, NoStandInIsSmallerThanTheLeast) {
  RacePolicy policy;
  EXPECT_TRUE(trial_subject(square(20000, 4), host(), 0.1, kPlenty, policy).problem);
  policy.host_least_bytes = kGibibyte;
  EXPECT_FALSE(trial_subject(square(20000, 4), host(), 0.1, kPlenty, policy).problem);

  Problem large = square(70000, 1);
  large.device = gpu().device;
  EXPECT_FALSE(trial_subject(large, gpu(), 2, 300 << 20, policy).problem);
  policy.gpu_least_caches = 1;
  EXPECT_TRUE(trial_subject(large, gpu(), 2, 300 << 20, policy).problem);
}

}  // namespace
}  // namespace xpose
