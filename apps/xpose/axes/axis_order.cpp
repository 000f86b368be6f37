#include "axes/axis_order.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>

#include "output/excerpt.hpp"

namespace xpose::app {
namespace {

std::string text_of(std::span<const int> axes) {
  std::string text;
  for (const int axis : axes) text += (text.empty() ? "" : ",") + std::to_string(axis);
  return text;
}

// The axes, none of them negative.
std::vector<int> checked(std::vector<int> axes, std::span<const std::int64_t> shape) {
  const int rank = static_cast<int>(shape.size());
  std::vector<int> counted = axes;
  for (int& axis : counted) axis += axis < 0 ? rank : 0;
  std::vector<int> all(shape.size());
  std::iota(all.begin(), all.end(), 0);
  if (!std::ranges::is_permutation(counted, all))
    throw AxisError("--axes " + text_of(axes) + ": the array is " + std::to_string(rank) + "-D (" +
                    shape_text(shape) + "): name each of its axes" +
                    (rank == 0 ? "" : ", 0 to " + std::to_string(rank - 1) + ',') + " once");
  return counted;
}

}  // namespace

std::string shape_text(std::span<const std::int64_t> shape) {
  std::string text;
  for (const std::int64_t extent : shape)
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text.empty() ? "scalar" : text;
}

std::vector<int> parse_axes(std::string_view text) {
  std::vector<int> axes;
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at < end;) {
    const auto [rest, error] = std::from_chars(at, end, axes.emplace_back());
    const bool goes_on = rest != end && *rest == ',' && rest + 1 != end;
    if (error != std::errc() || (rest != end && !goes_on))
      throw AxisError("--axes '" + excerpt(text) +
                      "' is not a list of axes, such as 0,2,1, at character " +
                      std::to_string(rest - text.data() + 1));
    at = goes_on ? rest + 1 : rest;
  }
  return axes;
}

PermutedShape permuted(const AxisOrder& order, std::span<const std::int64_t> shape) {
  if (order.pattern) return permuted(*order.pattern, shape);
  PermutedShape made;
  made.shape.assign(shape.begin(), shape.end());
  made.parts.assign(shape.size(), 1);
  made.axes.resize(shape.size());
  std::iota(made.axes.rbegin(), made.axes.rend(), 0);
  if (order.axes) made.axes = checked(*order.axes, shape);
  for (const int axis : made.axes) made.out_shape.push_back(shape[static_cast<std::size_t>(axis)]);
  return made;
}

}  // namespace xpose::app
