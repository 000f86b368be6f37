// A moment on the monotonic clock to be done by.
#pragma once

#include <algorithm>
#include <chrono>

namespace xpose {

class Deadline {
 public:
  explicit Deadline(double seconds)  // from now; at most some days, so that every sum fits
      : end_(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                std::chrono::duration<double>(std::clamp(seconds, 0.0, 1e6)))) {}

  bool passed() const { return Clock::now() >= end_; }

  // The rest, for poll; rounded up, so that waiting for it leads past the deadline.
  int milliseconds() const {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end_ - Clock::now());
    return static_cast<int>(std::max<std::chrono::milliseconds::rep>(left.count(), 0));
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point end_;
};

}  // namespace xpose
