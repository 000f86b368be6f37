// The time that a problem of few bytes shows.
#pragma once

#include <algorithm>
#include <cmath>

#include "../matrices.hpp"

namespace xpose::plugin {

// How often the bytes of one side must double until nobody notices the begin and the end of large
// blocks.
inline double doublings_to_many(const xpose_problem& problem) {
  constexpr double kMany = 8 << 20;
  return std::max(0.0, std::log2(kMany / static_cast<double>(bytes_of(problem))));
}

// The part of their time that tiles of small elements take longer where one matrix has few bytes.
inline double slower_of_few(const xpose_problem& problem) {
  constexpr int64_t kFewOfBytes = 4 << 20, kFewOfTwo = 8 << 20;
  const bool is_byte = problem.element_bytes == 1;
  if (problem.element_bytes > 2 || matrices_of(problem) > 1) return 0;
  if (bytes_of(problem) >= (is_byte ? kFewOfBytes : kFewOfTwo)) return 0;
  return is_byte ? 0.4 : 0.2;
}

}  // namespace xpose::plugin
