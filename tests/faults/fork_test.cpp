// A child of fork() has one thread, and locks that nobody opens. libgomp hung there.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <numeric>
#include <thread>
#include <vector>

#include "host_strategies.hpp"
#include "threads/lent_team.hpp"
#include "xpose/xpose.hpp"

namespace xpose {
namespace {

constexpr unsigned kDeadlineSeconds = 60;

// Whether a child, which is ended if it hangs, does it.
bool child_does(const std::function<bool()>& what) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(kDeadlineSeconds);
    bool done = false;
    try {
      done = what();
    } catch (...) {
    }
    _exit(done ? 0 : 1);
  }
  int status = -1;
  return waitpid(child, &status, 0) == child && status == 0;
}

// A plan with threads and, because its rows are not aligned, workspaces.
class ForkTest : public testing::Test {
 protected:
  ForkTest() : in_(kRows * kCols) { std::iota(in_.begin(), in_.end(), 1U); }

  bool transposes() const {
    std::vector<std::uint32_t> out(in_.size());
    plan_.execute(in_.data(), out.data());
    for (std::size_t r = 0; r < kRows; ++r)
      for (std::size_t c = 0; c < kCols; ++c)
        if (out[c * kRows + r] != in_[r * kCols + c]) return false;
    return true;
  }

  static constexpr std::size_t kRows = 1501, kCols = 1001;
  std::vector<std::uint32_t> in_;
  Engine engine_{
      {.plugin_folders = {XPOSE_PLUGINS}, .threads = 4, .worker = XPOSE_WORKER, .remember = false}};
  const Plan plan_ = engine_.plan(matrix(kRows, kCols, 4), {.policy = Policy::estimate});
};

TEST_F(ForkTest, AChildExecutesAPlanOfItsParent) {
  ASSERT_TRUE(transposes());
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(child_does([&] { return transposes(); }));
  EXPECT_TRUE(child_does([&] { return child_does([&] { return transposes(); }); }));
  EXPECT_TRUE(transposes());
}

// Whatever the other threads hold when the child is made.
TEST_F(ForkTest, AChildExecutesThatWasMadeWhileOthersExecuted) {
  std::atomic<bool> ends = false;
  std::vector<std::jthread> others;
  for (int i = 0; i < 3; ++i)
    others.emplace_back([&] {
      while (!ends) EXPECT_TRUE(transposes());
    });
  for (int i = 0; i < 30; ++i) EXPECT_TRUE(child_does([&] { return transposes(); })) << i;
  ends = true;
}

// Whether two parts of one run were at work at the same time.
bool run_at_once() {
  std::atomic<int> begun = 0, met = 0;
  run_parts(2, [&](std::uint32_t) {
    ++begun;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(kDeadlineSeconds / 4);
    while (begun < 2 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    if (begun == 2) ++met;
  });
  return met == 2;
}

// The threads that wait in the parent are not in the child, which would run alone beside them.
TEST(Fork, AChildHasThreadsOfItsOwn) {
  cpu_set_t processors;
  ASSERT_EQ(sched_getaffinity(0, sizeof processors, &processors), 0);
  if (CPU_COUNT(&processors) < 2) GTEST_SKIP() << "SKIPPED: there is one processor alone";
  ASSERT_TRUE(run_at_once());
  EXPECT_TRUE(child_does(run_at_once));
  EXPECT_TRUE(run_at_once());
}

TEST(Fork, EveryHostStrategyIsRightInAChild) {
  const std::vector<const Strategy*> all = host_strategies();
  for (const Strategy* strategy : all)
    ASSERT_EQ(complaint_of(*strategy, 4), "") << strategy->info.name;
  for (const Strategy* strategy : all)
    EXPECT_TRUE(child_does([&] { return complaint_of(*strategy, 4).empty(); }))
        << strategy->info.name;
}

}  // namespace
}  // namespace xpose
