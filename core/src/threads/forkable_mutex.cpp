#include "threads/forkable_mutex.hpp"

#include "threads/forks.hpp"
#include "xpose/problem.hpp"

namespace xpose {

void ForkableMutex::lock() {
  constexpr std::chrono::milliseconds kPatience{100};
  // By the system's clock, as in Turn.
  while (!try_lock_until(std::chrono::system_clock::now() + kPatience)) continue;
}

bool ForkableMutex::try_lock() { return mutex_.try_lock() && is_mine(); }

void ForkableMutex::unlock() {
  holder_.store(0, std::memory_order_relaxed);
  mutex_.unlock();
}

bool ForkableMutex::is_mine() {
  holder_.store(1 + fork_generation(), std::memory_order_relaxed);
  return true;
}

void ForkableMutex::check() const {
  const unsigned holder = holder_.load(std::memory_order_relaxed);
  if (holder == 0 || holder == 1 + fork_generation()) return;
  throw Error(ErrorKind::failed,
              "when this process was forked, another thread of its parent was choosing a strategy "
              "by this engine: fork while no thread chooses, or make an engine in the child");
}

}  // namespace xpose
