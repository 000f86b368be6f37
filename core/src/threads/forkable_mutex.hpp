// A mutex that is told from one which a thread of another process left locked.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>

namespace xpose {

// In a child of fork() no thread unlocks what another thread of the parent had locked. There the
// functions throw Error failed, where they would wait. [any thread, as std::timed_mutex]
class ForkableMutex {
 public:
  void lock();
  bool try_lock();
  template <class Clock, class Duration>
  bool try_lock_until(const std::chrono::time_point<Clock, Duration>& end) {
    check();
    return mutex_.try_lock_until(end) && is_mine();
  }
  void unlock();

 private:
  bool is_mine();
  void check() const;

  std::timed_mutex mutex_;
  std::atomic<unsigned> holder_ = 0;  // 1 and the generation of the process whose thread has it
};

}  // namespace xpose
