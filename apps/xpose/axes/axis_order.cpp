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

// None of them negative.
std::vector<int> counted(std::vector<int> axes) {
  const int rank = static_cast<int>(axes.size());
  for (int& axis : axes) axis += axis < 0 ? rank : 0;
  return axes;
}

// The axes are those of some array: an order of another number of axes is of no array.
void check_order(std::span<const int> axes) {
  std::vector<int> all(axes.size());
  std::iota(all.begin(), all.end(), 0);
  if (!std::ranges::is_permutation(counted({axes.begin(), axes.end()}), all))
    throw AxisError("--axes " + text_of(axes) + " is no order of " + std::to_string(axes.size()) +
                    (axes.size() == 1 ? " axis: name axis 0"
                                      : " axes: name each of 0 to " +
                                            std::to_string(axes.size() - 1) + " once"));
}

void check_rank(std::span<const int> axes, std::span<const std::int64_t> shape) {
  if (axes.size() == shape.size()) return;
  const std::string rank = std::to_string(shape.size());
  throw AxisError("--axes " + text_of(axes) + ": the array is " + rank + "-D (" +
                  shape_text(shape) + "): name each of its axes" +
                  (shape.empty() ? "" : ", 0 to " + std::to_string(shape.size() - 1) + ',') +
                  " once");
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
  check_order(axes);
  return axes;
}

PermutedShape permuted(const AxisOrder& order, std::span<const std::int64_t> shape) {
  if (order.pattern) return permuted(*order.pattern, shape);
  PermutedShape made;
  made.shape.assign(shape.begin(), shape.end());
  made.parts.assign(shape.size(), 1);
  made.axes.resize(shape.size());
  std::iota(made.axes.rbegin(), made.axes.rend(), 0);
  if (order.axes) {
    check_order(*order.axes);
    check_rank(*order.axes, shape);
    made.axes = counted(*order.axes);
  }
  for (const int axis : made.axes) made.out_shape.push_back(shape[static_cast<std::size_t>(axis)]);
  return made;
}

}  // namespace xpose::app
