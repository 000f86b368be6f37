// Refusals of permutations in place, in the caller's words.
#include <algorithm>

#include "problem/dimensions.hpp"
#include "problem/normal_form.hpp"
#include "xpose/problem.hpp"

namespace xpose {
namespace {

constexpr const char* kWholeSizes = "1, 2, 4, 8 or 16 bytes, or a multiple of 16 up to 256";

// Without a look at the normal form, which takes longer.
bool is_plainly_served(const Problem& problem) {
  return problem.rows == problem.cols && problem.rows > 1 && problem.in_ld == problem.out_ld &&
         problem.in_ld >= problem.cols && is_moved_whole(problem.element_bytes) &&
         std::ranges::all_of(problem.batch, [](const BatchDim& dim) {
           return dim.in_stride == dim.out_stride && dim.in_stride >= 0;
         });
}

// An axis of the input, and its strides before and after.
struct Axis {
  std::size_t number;
  std::int64_t extent, in_stride, out_stride;
};

// "0 and 1", "0, 1 and 2".
template <class Number>
std::string listed(const std::vector<Axis>& axes, const Number& number) {
  std::string text;
  for (std::size_t i = 0; i < axes.size(); ++i)
    text += (i == 0 ? "" : i + 1 == axes.size() ? " and " : ", ") + std::to_string(number(axes[i]));
  return text;
}

// Whether the axes that move are a square in place once every `run` elements are one.
bool are_squares_of(std::int64_t run, const std::vector<Axis>& moved,
                    const std::vector<Axis>& staying) {
  const auto divides = [&](const Axis& axis) {
    return axis.in_stride == 1 || axis.in_stride % run == 0;
  };
  return std::ranges::find(moved, run, &Axis::in_stride) != moved.end() &&
         std::ranges::all_of(moved, divides) && std::ranges::all_of(staying, divides);
}

// The reason why two axes without neighbours in memory do not change places.
std::string why_apart(const std::vector<Axis>& moved, const std::vector<Axis>& staying,
                      std::uint32_t bytes) {
  const std::string why =
      "axes " + listed(moved, [](const Axis& axis) { return axis.number; }) +
      " change places, and in place one of the two has the stride 1, but theirs are " +
      listed(moved, [](const Axis& axis) { return axis.in_stride; });
  const auto inner = std::ranges::find(staying, 1, &Axis::in_stride);
  if (inner == staying.end()) return why + " elements";
  const auto whole = static_cast<std::uint64_t>(inner->extent) * bytes;
  const std::string of = " elements: axis " + std::to_string(inner->number) +
                         " stays the innermost, of " + std::to_string(whole) + " bytes";
  return why + of +
         (is_moved_whole(whole) && are_squares_of(inner->extent, moved, staying)
              ? "; state these as one element, or use a separate output"
              : "");
}

std::string why_refused(std::span<const Axis> axes, std::uint32_t bytes) {
  for (const Axis& axis : axes)
    if (axis.in_stride < 0 || axis.out_stride < 0)
      return "in place no axis lies backwards, and axis " + std::to_string(axis.number) +
             " does, with the stride " + std::to_string(std::min(axis.in_stride, axis.out_stride));
  if (!is_moved_whole(bytes))
    return "in place elements have " + std::string(kWholeSizes) + ", not " + std::to_string(bytes);
  std::vector<Axis> moved, staying;
  for (const Axis& axis : axes)
    (axis.in_stride != axis.out_stride ? moved : staying).push_back(axis);
  const std::string names = listed(moved, [](const Axis& axis) { return axis.number; });
  if (moved.empty()) return "no axis moves, so that nothing is to do";
  if (moved.size() < 2)
    return "in place both arrays have one layout, and axis " + names + " has two strides";
  if (moved.size() > 2) return "in place two axes change places, and here axes " + names + " do";
  if (moved[0].extent != moved[1].extent)
    return "only a square is transposed in place, and axes " + names +
           ", which change places, have the extents " +
           listed(moved, [](const Axis& axis) { return axis.extent; });
  if (moved[0].in_stride != moved[1].out_stride || moved[1].in_stride != moved[0].out_stride)
    return "in place both arrays have one layout, and axes " + names + " have other strides after";
  return why_apart(moved, staying, bytes);
}

std::string array_text(std::span<const std::int64_t> shape, std::span<const int> axes,
                       std::uint32_t bytes) {
  std::string extents, order;
  for (const std::int64_t extent : shape)
    extents += (extents.empty() ? "" : "x") + std::to_string(extent);
  for (const int axis : axes) order += (order.empty() ? "" : ",") + std::to_string(axis);
  return "cannot permute an array of " + extents + " elements of " + std::to_string(bytes) +
         (bytes == 1 ? " byte" : " bytes") + " by the axes " + order + " in place: ";
}

}  // namespace

void check_in_place(const Problem& problem, std::span<const std::int64_t> shape,
                    std::span<const int> axes, std::span<const std::int64_t> in_strides,
                    std::span<const std::int64_t> out_strides) {
  if (is_plainly_served(problem)) return;
  try {
    normal_form(problem);
    return;
  } catch (const Error&) {  // told below
  }
  Problem apart = problem;
  apart.in_place = false;
  normal_form(apart);  // has its own refusals, of every place
  std::vector<Axis> moving;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto from = static_cast<std::size_t>(axes[i]);
    if (shape[from] > 1) moving.push_back({from, shape[from], in_strides[from], out_strides[i]});
  }
  std::ranges::sort(moving, {}, &Axis::number);
  std::string why = why_refused(moving, problem.element_bytes);
  if (!why.ends_with("separate output")) why += "; use a separate output";
  throw Error(ErrorKind::invalid, array_text(shape, axes, problem.element_bytes) + why);
}

}  // namespace xpose
