// What harmful strategies share: each is right and slow, but for the one thing that its name says.
#pragma once

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <xpose/plugin.hpp>

namespace harm {

using namespace xpose::plugin;

inline size_t bytes_of(const Problem& problem) {
  return static_cast<size_t>(problem.rows * problem.cols) * problem.element_bytes;
}

// Twice, so that it is slower than honest loops, and not so slow that it is timed only once.
inline void transpose(const Problem& problem, const Launch& launch) {
  const size_t bytes = problem.element_bytes;
  for (int pass = 0; pass < 2; ++pass)
    for (int64_t r = 0; r < problem.rows; ++r)
      for (int64_t c = 0; c < problem.cols; ++c)
        std::memcpy(static_cast<char*>(launch.out) + (c * problem.out_ld + r) * bytes,
                    static_cast<const char*>(launch.in) + (r * problem.in_ld + c) * bytes, bytes);
}

// Slower than any honest strategy on the problems of the test.
inline void dawdle(double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (Clock::now() < end) continue;
}

// A strategy that is right, slow, and offers itself as the best.
template <class Self>
struct Harm {
  static Card card() {
    return {.name = Self::name(), .summary = "does harm", .min_alignment = 1, .prior_rank = -1000};
  }
  static Quote quote(const Problem&, const Config&) { return {.launch = "harm"}; }

  Harm(const Problem& problem, const Config&) : problem_(problem) {}
  void launch(const Launch& launch) const {
    transpose(problem_, launch);
    dawdle(200e-6);
  }

  Problem problem_;
};

// HARM(name, { what its launch does; `launch` and `problem_` are there })
#define HARM(NAME, ...)                                       \
  struct NAME : harm::Harm<NAME> {                            \
    static constexpr const char* name() { return #NAME; }     \
    using Harm::Harm;                                         \
    void launch(const harm::Launch& launch) const __VA_ARGS__ \
  };

}  // namespace harm
