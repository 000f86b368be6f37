// Finds the part and the local index of an index of an axis.
#pragma once

#include <cstdint>
#include <vector>

#include "xpose/placement.hpp"

namespace xpose {

class AxisIndex {
 public:
  // The axis is well-formed and outlives this.
  explicit AxisIndex(const AxisPlacement& axis);

  struct Spot {
    std::int64_t part;   // that holds the index
    std::int64_t local;  // index in the part
    std::int64_t end;    // of the interval: the first index after it
  };
  Spot at(std::int64_t index) const;

  // Indices of a part in the whole periods of the first `indices` indices.
  std::int64_t among(std::int64_t part, std::int64_t indices) const {
    return indices / axis_.period * in_period_[static_cast<std::size_t>(part)];
  }
  // Indices of a part before `index`.
  std::int64_t before(std::int64_t part, std::int64_t index) const;
  // Indices of each part, in one pass over the intervals.
  std::vector<std::int64_t> of_parts() const;

 private:
  std::int64_t end_of(std::size_t interval) const;

  const AxisPlacement& axis_;
  std::vector<std::int64_t> local_;      // of each interval's begin, in the first period
  std::vector<std::int64_t> in_period_;  // of each part
};

}  // namespace xpose
