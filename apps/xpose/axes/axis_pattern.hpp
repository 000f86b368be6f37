// The order of axes as einops writes it, 'b (h p) (w q) c -> b h w p q c':
// https://einops.rocks/api/rearrange
#pragma once

#include <map>
#include <string_view>

#include "axes/permuted_shape.hpp"

namespace xpose::app {

using AxisSizes = std::map<std::string, std::int64_t, std::less<>>;  // by name

struct AxisPattern {
  // An axis of an array, in C order the product of those that it names; without a name a unit axis.
  struct Axis {
    std::vector<std::string> names = {};  // "...": all axes that have no name
    bool is_ellipsis = false;             // as many axes as it takes
    bool operator==(const Axis&) const = default;
  };
  std::vector<Axis> in = {};
  std::vector<Axis> out = {};
  AxisSizes sizes = {};  // those that are given

  bool operator==(const AxisPattern&) const = default;
};

// Names, parentheses around those that are one axis of the array, 1 for a unit axis, and '...' on
// both sides. A name stands once on either side. Throws AxisError with the place of what is wrong.
AxisPattern parse_axis_pattern(std::string_view text);

// "p=16,q=16". Throws AxisError.
AxisSizes parse_axis_sizes(std::string_view text);

// Throws AxisError where the given sizes fit no shape: those of other names, or too few.
void check_sizes(const AxisPattern& pattern);

// As parse_axis_pattern() reads it. The sizes are left out.
std::string to_string(const AxisPattern& pattern);

// Throws AxisError where the pattern or its sizes do not fit the shape, or leave a size open.
PermutedShape permuted(const AxisPattern& pattern, std::span<const std::int64_t> shape);

}  // namespace xpose::app
