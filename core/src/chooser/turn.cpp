#include "chooser/turn.hpp"

#include <algorithm>
#include <chrono>

namespace xpose {
namespace {

thread_local bool has_turn = false;

}  // namespace

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Turn::Turn(ForkableMutex& mutex, double seconds, const std::function<bool()>& interrupted)
    : lock_(mutex, std::defer_lock) {
  if (has_turn) return;
  is_at_once_ = lock_.try_lock();
  const double end = steady_seconds() + seconds;
  while (!lock_.owns_lock()) {
    const double left = end - steady_seconds();
    if (left <= 0 || (interrupted && interrupted())) return;
    // By the system's clock: the thread sanitizer does not know the other one's call. It is asked
    // again soon, so that its steps do no harm.
    const std::chrono::milliseconds patience(static_cast<int>(1000 * std::min(left, 0.1)) + 1);
    static_cast<void>(lock_.try_lock_until(std::chrono::system_clock::now() + patience));
  }
  has_turn = true;
}

Turn::~Turn() {
  if (is_granted()) has_turn = false;
}

bool Turn::is_of_this_thread() { return has_turn; }

}  // namespace xpose
