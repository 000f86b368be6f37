#include "placement/axis_index.hpp"

#include <algorithm>

namespace xpose {

AxisIndex::AxisIndex(const AxisPlacement& axis)
    : axis_(axis), in_period_(static_cast<std::size_t>(axis.parts)) {
  local_.reserve(axis.intervals.size());
  for (std::size_t i = 0; i < axis.intervals.size(); ++i) {
    std::int64_t& held = in_period_[static_cast<std::size_t>(axis.intervals[i].part)];
    local_.push_back(held);
    held += end_of(i) - axis.intervals[i].begin;
  }
}

std::int64_t AxisIndex::end_of(std::size_t interval) const {
  return interval + 1 < axis_.intervals.size() ? axis_.intervals[interval + 1].begin : axis_.period;
}

AxisIndex::Spot AxisIndex::at(std::int64_t index) const {
  const std::int64_t place = index % axis_.period;
  const auto after = std::ranges::upper_bound(axis_.intervals, place, {}, &AxisInterval::begin);
  const auto interval = static_cast<std::size_t>(after - axis_.intervals.begin()) - 1;
  const AxisInterval& found = axis_.intervals[interval];
  return {found.part, among(found.part, index) + local_[interval] + place - found.begin,
          std::min(index - place + end_of(interval), axis_.extent)};
}

std::int64_t AxisIndex::before(std::int64_t part, std::int64_t index) const {
  const std::int64_t place = index % axis_.period;
  std::int64_t held = among(part, index);
  for (std::size_t i = 0; i < axis_.intervals.size() && axis_.intervals[i].begin < place; ++i)
    if (axis_.intervals[i].part == part)
      held += std::min(place, end_of(i)) - axis_.intervals[i].begin;
  return held;
}

std::vector<std::int64_t> AxisIndex::of_parts() const {
  std::vector<std::int64_t> held(in_period_.size());
  for (std::size_t part = 0; part < held.size(); ++part)
    held[part] = among(static_cast<std::int64_t>(part), axis_.extent);
  const std::int64_t rest = axis_.extent % axis_.period;
  for (std::size_t i = 0; i < axis_.intervals.size() && axis_.intervals[i].begin < rest; ++i)
    held[static_cast<std::size_t>(axis_.intervals[i].part)] +=
        std::min(rest, end_of(i)) - axis_.intervals[i].begin;
  return held;
}

}  // namespace xpose
