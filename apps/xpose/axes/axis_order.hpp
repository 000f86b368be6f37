// The order of axes that a command line asks for: --axes, --pattern, or neither.
#pragma once

#include <optional>

#include "axes/axis_pattern.hpp"

namespace xpose::app {

struct AxisOrder {
  std::optional<std::vector<int>> axes = {};         // as NumPy's transpose takes them
  std::optional<AxisPattern> pattern = {};           // not both
  bool is_given() const { return axes || pattern; }  // else the axes are reversed, as by NumPy's .T
};

// "0,2,1"; negative axes count from the last one. Throws AxisError where no array has such axes.
std::vector<int> parse_axes(std::string_view text);

// Throws AxisError where the shape has no such axes.
PermutedShape permuted(const AxisOrder& order, std::span<const std::int64_t> shape);

}  // namespace xpose::app
