// How much longer the modes take where many threads share a problem.
#pragma once

#include <algorithm>
#include <cstdint>
#include <xpose/plugin.hpp>

#include "../kit/host/traffic.hpp"
#include "mode.hpp"

namespace host_simd {

// A thread ends when memory has taken its last lines. Where many threads wait for that, it takes as
// long as moving so many bytes more.
inline constexpr int64_t kLastLinesBytes = 64 << 10;
// Lines in the cache take so much longer with many threads by groups of four, and straight from
// registers where a short side has few wide elements.
inline constexpr int64_t kFoursOfManyPercent = 20, kShortOfManyPercent = 20, kShortSide = 200;

inline int64_t many_threads_percent(const xpose::plugin::Problem& problem, const Mode& mode) {
  const int64_t each = host::bytes_of_each_of_many(problem);
  if (each == 0 || mode.order == BlockOrder::kPanels) return 0;
  if (mode.writing == Writing::kFours) return kFoursOfManyPercent;
  if (mode.streams()) return 100 * kLastLinesBytes / each;
  const int64_t side = std::min(problem.rows, problem.cols) * problem.element_bytes;
  return problem.element_bytes >= 8 && side <= kShortSide ? kShortOfManyPercent : 0;
}

}  // namespace host_simd
