#include "worker/busy_threads.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <ctime>
#include <thread>
#include <vector>

namespace xpose {
namespace {

double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

TEST(BusyThreads, OneThatNeverSleepsIs) {
  std::atomic<bool> over = false;
  const std::jthread busy([&] {
    while (!over) continue;
  });
  EXPECT_EQ(thread_count(), 2U);
  EXPECT_TRUE(threads_stay_busy());
  over = true;
}

// As after a parallel region with more threads than processors, each of which waits for its turn.
TEST(BusyThreads, ATeamThatSpinsForAWhileIsNot) {
  constexpr int kThreads = 64;
  std::atomic<int> begun = 0;
  std::vector<std::jthread> team;
  for (int i = 0; i < kThreads; ++i)
    team.emplace_back([&] {
      ++begun;
      while (begun < kThreads) std::this_thread::yield();
      const double end = processor_seconds() + 30e-3;
      while (processor_seconds() < end) continue;
    });
  EXPECT_FALSE(threads_stay_busy());
}

}  // namespace
}  // namespace xpose
