// A system that has no threads to give. libgomp ended the process there.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <latch>
#include <numeric>
#include <thread>
#include <vector>

#include "host_strategies.hpp"
#include "threads/lent_team.hpp"
#include "xpose/xpose.hpp"

namespace {

// Threads that are still to be had; and how many were asked for when there were none.
std::atomic<int> left = 1 << 30;
std::atomic<int> refused = 0;

}  // namespace

// Before the C library's, for the library and its plugins too.
extern "C" int pthread_create(pthread_t* id, const pthread_attr_t* attributes, void* (*main)(void*),
                              void* argument) noexcept {
  static const auto real =
      reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  if (left-- > 0) return real(id, attributes, main, argument);
  left = 0;
  ++refused;
  return EAGAIN;
}

namespace xpose {
namespace {

// Each test is a process of its own: no team is left from another.
class ThreadFaults : public testing::Test {
 protected:
  ThreadFaults() : in_(kRows * kCols) { std::iota(in_.begin(), in_.end(), 1U); }
  void SetUp() override {
    if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "one processor: no other thread";
  }
  void TearDown() override { left = 1 << 30; }

  Plan plan() { return engine_.plan(matrix(kRows, kCols, 4), {.policy = Policy::estimate}); }
  bool transposes(const Plan& plan) const {
    std::vector<std::uint32_t> out(in_.size());
    plan.execute(in_.data(), out.data());
    for (std::size_t r = 0; r < kRows; ++r)
      for (std::size_t c = 0; c < kCols; ++c)
        if (out[c * kRows + r] != in_[r * kCols + c]) return false;
    return true;
  }

 private:
  static constexpr std::size_t kRows = 2000, kCols = 1001;
  std::vector<std::uint32_t> in_;
  Engine engine_{
      {.plugin_folders = {XPOSE_PLUGINS}, .threads = 4, .worker = XPOSE_WORKER, .remember = false}};
};

TEST_F(ThreadFaults, EveryHostStrategyIsRightWithoutAny) {
  const std::vector<const Strategy*> all = host_strategies();
  ASSERT_GT(all.size(), 10U);
  left = 0;
  for (const Strategy* strategy : all)
    EXPECT_EQ(complaint_of(*strategy, 4), "") << strategy->info.name;
  EXPECT_GE(refused, 1);
}

TEST_F(ThreadFaults, ExecuteIsRightWithoutAny) {
  const Plan plan = this->plan();
  left = 0;
  for (int round = 0; round < 3; ++round) EXPECT_TRUE(transposes(plan));
  EXPECT_GE(refused, 1);
}

class FewThreads : public ThreadFaults, public testing::WithParamInterface<int> {};

// More callers than threads that they could have.
TEST_P(FewThreads, ExecuteIsRightInAllCallers) {
  const Plan plan = this->plan();
  std::latch begin(4);
  std::vector<std::jthread> callers;
  for (int i = 0; i < 4; ++i)
    callers.emplace_back([&] {
      begin.arrive_and_wait();
      left = GetParam();
      for (int round = 0; round < 20; ++round) EXPECT_TRUE(transposes(plan));
    });
  callers.clear();
  EXPECT_GE(refused, 1);
}

INSTANTIATE_TEST_SUITE_P(Left, FewThreads, testing::Values(0, 1));

// The system is not asked again at each call, and yet again later.
TEST(ThreadFaultsLater, TheSystemIsAskedAgain) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "one processor: no other thread";
  left = 0;
  for (int i = 0; i < 100; ++i) run_parts(2, [](std::uint32_t) {});
  EXPECT_EQ(refused, 1);
  left = 1 << 30;
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  const int before = left;
  run_parts(2, [](std::uint32_t) {});
  EXPECT_EQ(before - left, 1);
}

}  // namespace
}  // namespace xpose
