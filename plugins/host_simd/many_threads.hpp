// How much longer the modes take where many threads share a problem.
#pragma once

#include <algorithm>
#include <bit>
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

// Panels take so much longer, by element size, where each of many threads moves so many bytes.
inline constexpr int64_t kPanelsOfManyPercent[] = {70, 20, 10, 20, 10},
                         kPanelsOfManyFrom = 256 << 10;

// Elements that are written one by one cost so much less than with few threads, of tall and of flat
// matrices by element size, where each of many moves so many bytes.
inline constexpr int64_t kElementsOfTallPercent[] = {40, 10, 40, 40, 0};
inline constexpr int64_t kElementsOfFlatPercent[] = {70, 40, 40, 40, 0};
inline constexpr int64_t kElementsOfManyFrom = 128 << 10;

inline int64_t elements_percent(const xpose::plugin::Problem& problem, int64_t with_few) {
  if (host::bytes_of_each_of_many(problem) <= kElementsOfManyFrom) return with_few;
  const auto& less = problem.rows > problem.cols ? kElementsOfTallPercent : kElementsOfFlatPercent;
  return std::max<int64_t>(with_few - less[std::countr_zero(problem.element_bytes)], 0);
}

inline int64_t many_threads_percent(const xpose::plugin::Problem& problem, const Mode& mode) {
  const int64_t each = host::bytes_of_each_of_many(problem);
  if (each == 0) return 0;
  if (mode.order == BlockOrder::kPanels)
    return each < kPanelsOfManyFrom ? 0
                                    : kPanelsOfManyPercent[std::countr_zero(problem.element_bytes)];
  if (mode.writing == Writing::kFours) return kFoursOfManyPercent;
  if (mode.streams()) return 100 * kLastLinesBytes / each;
  const int64_t side = std::min(problem.rows, problem.cols) * problem.element_bytes;
  return problem.element_bytes >= 8 && side <= kShortSide ? kShortOfManyPercent : 0;
}

}  // namespace host_simd
