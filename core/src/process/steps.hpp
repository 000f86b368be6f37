// The steps of counting: each is told before it is done, and refuses where it fails.
#pragma once

#include <functional>
#include <string>

namespace xpose {

// Why something cannot be counted, in one line. No std::exception, so that what a launch throws is
// never taken for it.
struct Denial {
  std::string text;
};

// Told the name of each step before it is done, so that a worker can name what was running.
using AtStep = std::function<void(const std::string&)>;

inline void begin_step(const AtStep& at_step, const char* step) {
  if (at_step) at_step(step);
}

// Runs its function at the end of the scope, which may not throw.
template <class F>
class Finally {
 public:
  explicit Finally(F end) : end_(std::move(end)) {}
  Finally(const Finally&) = delete;
  Finally& operator=(const Finally&) = delete;
  ~Finally() { end_(); }

 private:
  F end_;
};

}  // namespace xpose
