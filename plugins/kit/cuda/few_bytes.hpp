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

}  // namespace xpose::plugin
