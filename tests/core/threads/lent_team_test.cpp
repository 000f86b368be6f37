#include "threads/lent_team.hpp"

#include <dirent.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "worker/busy_threads.hpp"

namespace xpose {
namespace {

using Calls = std::vector<std::atomic<int>>;

void count(void* context, std::uint32_t part) { ++(*static_cast<Calls*>(context))[part]; }

void expect_each_once(LentTeam& team, std::uint32_t parts) {
  Calls calls(parts);
  team.run(parts, count, &calls);
  for (const auto& one : calls) ASSERT_EQ(one, 1) << parts;
}

TEST(LentTeam, EveryPartRunsOnce) {
  for (const unsigned threads : {0U, 1U, 2U, 3U, 64U}) {
    LentTeam team(threads);
    for (const std::uint32_t parts : {0U, 1U, 2U, 3U, 7U, 1000U}) expect_each_once(team, parts);
  }
}

// What the parts of one run wrote is there for those of the next, which other threads run.
TEST(LentTeam, PartsSeeWhatEarlierRunsWrote) {
  constexpr std::uint32_t kParts = 16;
  struct State {
    std::array<int, kParts> values{};
    int round = 0;
  } state;
  LentTeam team(4);
  for (; state.round < 2000; ++state.round)
    team.run(
        kParts,
        [](void* context, std::uint32_t part) {
          State& state = *static_cast<State*>(context);
          int& value = state.values[(part + static_cast<unsigned>(state.round)) % kParts];
          if (value == state.round) ++value;
        },
        &state);
  for (const int value : state.values) EXPECT_EQ(value, 2000);
}

TEST(LentTeam, ManyCallersAtOnceEachHaveTheirOwn) {
  std::vector<std::jthread> callers;
  for (int i = 0; i < 8; ++i)
    callers.emplace_back([] {
      for (int round = 0; round < 300; ++round) {
        LentTeam team(1 + round % 4);
        expect_each_once(team, 5);
      }
    });
}

TEST(LentTeam, ARunWithinAPartIsRunByItsThread) {
  struct Nested {
    LentTeam team{2};
    Calls calls = Calls(6);
  } nested;
  nested.team.run(
      3,
      [](void* context, std::uint32_t part) {
        Nested& nested = *static_cast<Nested*>(context);
        struct Inner {
          Calls& calls;
          std::uint32_t part;
          std::thread::id caller;
        } inner{nested.calls, part, std::this_thread::get_id()};
        nested.team.run(
            2,
            [](void* context, std::uint32_t part) {
              const Inner& inner = *static_cast<Inner*>(context);
              EXPECT_EQ(std::this_thread::get_id(), inner.caller);
              ++inner.calls[2 * inner.part + part];
            },
            &inner);
      },
      &nested);
  for (const auto& one : nested.calls) EXPECT_EQ(one, 1);
}

// The last part is another thread's, where there is one.
TEST(LentTeam, WhatAPartThrowsIsThrownOnceAllHaveRun) {
  for (const std::uint32_t which : {0U, 3U}) {
    std::atomic<int> run = 0;
    const auto body = [&](std::uint32_t part) {
      ++run;
      if (part == which) throw std::runtime_error("part " + std::to_string(part));
    };
    try {
      run_parts(4, body);
      ADD_FAILURE();
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(error.what(), "part " + std::to_string(which));
    }
    if (std::thread::hardware_concurrency() > 1) {
      EXPECT_EQ(run, 4);
    }
  }
  LentTeam team(4);
  expect_each_once(team, 9);
}

// A caller that is held to one processor has no use for more threads than its own.
TEST(LentTeam, ThreadsAreNoMoreThanTheCallersProcessors) {
  std::jthread([] {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(sched_getcpu(), &set);
    ASSERT_EQ(sched_setaffinity(0, sizeof set, &set), 0);
    run_parts(8, [caller = std::this_thread::get_id()](std::uint32_t) {
      EXPECT_EQ(std::this_thread::get_id(), caller);
    });
  });
}

TEST(LentTeam, ItsThreadsHaveANameAndNoSignalsOfOthers) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "one processor: no other thread";
  std::set<std::string> names;
  std::mutex mutex;
  run_parts(2, [&, caller = std::this_thread::get_id()](std::uint32_t part) {
    // The caller waits for the other to begin: it would else do its part as well.
    static std::atomic<bool> begun = false;
    if (std::this_thread::get_id() == caller) {
      for (int i = 0; part == 0 && i < 2000 && !begun; ++i) usleep(1000);
      return;
    }
    begun = true;
    std::array<char, 32> name{};
    pthread_getname_np(pthread_self(), name.data(), name.size());
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    EXPECT_EQ(sigismember(&blocked, SIGINT), 1);
    EXPECT_EQ(sigismember(&blocked, SIGCHLD), 1);
    EXPECT_EQ(sigismember(&blocked, SIGSEGV), 0);  // or the process would end without its handler
    const std::lock_guard lock(mutex);
    names.insert(name.data());
  });
  EXPECT_EQ(names, std::set<std::string>{"xpose"});
  sigset_t own;
  pthread_sigmask(SIG_SETMASK, nullptr, &own);
  EXPECT_EQ(sigismember(&own, SIGINT), 0);
}

// The worker looks for threads that a plugin leaves busy: these are none.
TEST(LentTeam, ItsThreadsSleepSoonAfterTheirWork) {
  run_parts(64, [](std::uint32_t) {});
  EXPECT_FALSE(threads_stay_busy());
}

TEST(LentTeam, ThreadsAreKeptForTheNext) {
  run_parts(64, [](std::uint32_t) {});
  const std::size_t before = thread_count();
  for (int i = 0; i < 100; ++i) run_parts(64, [](std::uint32_t) {});
  EXPECT_EQ(thread_count(), before);
}

}  // namespace
}  // namespace xpose
