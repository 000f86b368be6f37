// The turn to measure: one thread at a time in an engine.
#pragma once

#include <functional>
#include <limits>
#include <mutex>

#include "threads/forkable_mutex.hpp"

namespace xpose {

double steady_seconds();  // of the clock that measures waits and budgets

// Seconds of a wait that the turn alone ends.
constexpr double kUntilGranted = std::numeric_limits<double>::infinity();

// [one thread] A turn that lasts as long as the object, or none.
class Turn {
 public:
  // Waits for the mutex until `seconds` have passed or `interrupted`, asked ten times a second and
  // null for never, returns true. A thread that has a turn, in any engine, gets no second one: its
  // measurement has called it back and waits for it. Throws as the mutex does.
  Turn(ForkableMutex& mutex, double seconds, const std::function<bool()>& interrupted);
  Turn(const Turn&) = delete;  // its thread is marked once
  Turn& operator=(const Turn&) = delete;
  ~Turn();

  bool is_granted() const { return lock_.owns_lock(); }
  bool is_at_once() const { return is_at_once_; }  // granted without a wait

  // Whether the calling thread has a turn.
  static bool is_of_this_thread();

 private:
  std::unique_lock<ForkableMutex> lock_;
  bool is_at_once_ = false;
};

}  // namespace xpose
