// Who gets the turn to measure, and who stops waiting for it.
#include "chooser/turn.hpp"

#include <gtest/gtest.h>

#include <future>

namespace xpose {
namespace {

TEST(Turn, IsGrantedAtOnceWhereNobodyHasIt) {
  std::timed_mutex mutex;
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
  std::timed_mutex mutex, of_another_engine;
  const Turn turn(mutex, 0, nullptr);
  EXPECT_FALSE(Turn(mutex, kUntilGranted, nullptr).is_granted());
  EXPECT_FALSE(Turn(of_another_engine, kUntilGranted, nullptr).is_granted());
  EXPECT_TRUE(Turn::is_of_this_thread());
}

TEST(Turn, EndsItsWaitWithTheTimeOrAnInterrupt) {
  std::timed_mutex mutex;
  const std::lock_guard other(mutex);
  std::async(std::launch::async, [&] {
    EXPECT_FALSE(Turn(mutex, 0.01, nullptr).is_granted());
    int asked = 0;
    EXPECT_FALSE(Turn(mutex, kUntilGranted, [&] { return ++asked == 2; }).is_granted());
    EXPECT_FALSE(Turn::is_of_this_thread());
  }).get();
}

TEST(Turn, ComesWhenTheOtherEnds) {
  std::timed_mutex mutex;
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

}  // namespace
}  // namespace xpose
