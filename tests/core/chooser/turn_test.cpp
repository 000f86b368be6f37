// Who gets the turn to measure, and who stops waiting for it.
#include "chooser/turn.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <future>
#include <string>
#include <thread>

#include "xpose/problem.hpp"

namespace xpose {
namespace {

TEST(Turn, IsGrantedAtOnceWhereNobodyHasIt) {
  ForkableMutex mutex;
  {
    const Turn turn(mutex, 0, nullptr);
    EXPECT_TRUE(turn.is_granted());
    EXPECT_TRUE(turn.is_at_once());
    EXPECT_TRUE(Turn::is_of_this_thread());
  }
  EXPECT_FALSE(Turn::is_of_this_thread());
  EXPECT_TRUE(mutex.try_lock());
  mutex.unlock();
}

TEST(Turn, IsNotGrantedTwiceToOneThread) {
  ForkableMutex mutex, of_another_engine;
  const Turn turn(mutex, 0, nullptr);
  EXPECT_FALSE(Turn(mutex, kUntilGranted, nullptr).is_granted());
  EXPECT_FALSE(Turn(of_another_engine, kUntilGranted, nullptr).is_granted());
  EXPECT_TRUE(Turn::is_of_this_thread());
}

TEST(Turn, EndsItsWaitWithTheTimeOrAnInterrupt) {
  ForkableMutex mutex;
  const std::lock_guard other(mutex);
  std::async(std::launch::async, [&] {
    EXPECT_FALSE(Turn(mutex, 0.01, nullptr).is_granted());
    int asked = 0;
    EXPECT_FALSE(Turn(mutex, kUntilGranted, [&] { return ++asked == 2; }).is_granted());
    EXPECT_FALSE(Turn::is_of_this_thread());
  }).get();
}

TEST(Turn, ComesWhenTheOtherEnds) {
  ForkableMutex mutex;
  std::future<void> waiting;
  {
    std::promise<void> asked;
    const Turn turn(mutex, 0, nullptr);
    waiting = std::async(std::launch::async, [&mutex, &asked] {
      bool told = false;
      const Turn next(mutex, kUntilGranted, [&] {
        if (!told) asked.set_value();
        told = true;
        return false;
      });
      EXPECT_TRUE(next.is_granted());
      EXPECT_FALSE(next.is_at_once());
    });
    asked.get_future().get();
  }
  waiting.get();
}

// The test forks while it has one thread: a child could wait for an allocator's lock else.
TEST(Turn, IsRefusedInAChildWhereAThreadOfTheParentHasIt) {
  static ForkableMutex mutex;  // stays locked
  std::thread([] { mutex.lock(); }).join();
  const pid_t child = fork();
  if (child == 0) {
    int refused = 0;
    try {
      mutex.lock();
    } catch (const Error& error) {
      refused +=
          std::string(error.what()).find("another thread of its parent") != std::string::npos;
    }
    try {
      const Turn turn(mutex, kUntilGranted, nullptr);
    } catch (const Error&) {
      ++refused;
    }
    _exit(refused + (mutex.try_lock() ? 10 : 0));
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status)) << status;
  EXPECT_EQ(WEXITSTATUS(status), 2);
}

TEST(Turn, IsTheChildsWhereNobodyHadIt) {
  ForkableMutex mutex;
  { const Turn turn(mutex, 0, nullptr); }
  const pid_t child = fork();
  if (child == 0) _exit(Turn(mutex, 0, nullptr).is_granted() ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace xpose
