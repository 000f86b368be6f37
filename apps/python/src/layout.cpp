#include "layout.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <vector>
#include <xpose/views.hpp>

namespace xpose::python {
namespace {

constexpr std::int64_t kMostElementBytes = 256;

[[noreturn]] void refuse(const std::string& why) { throw Error(ErrorKind::invalid, why); }

std::string tuple_text(const Axes& extents) {
  std::string text = "(";
  for (const std::int64_t extent : extents.span())
    text += (text.size() > 1 ? ", " : "") + std::to_string(extent);
  return text + (extents.size() == 1 ? ",)" : ")");
}

// The largest number of bytes, at most 256, of which elements and strides are multiples.
std::int64_t unit_of(const Layout& in, const Layout& out) {
  std::int64_t unit = in.element_bytes;
  for (const Layout* layout : {&in, &out})
    for (std::size_t i = 0; i < layout->extents.size(); ++i)
      if (layout->extents[i] > 1) unit = std::gcd(unit, layout->strides[i]);
  for (std::int64_t bytes = std::min(unit, kMostElementBytes);; --bytes)
    if (unit % bytes == 0) return bytes;
}

// Strides in units of `bytes`. That of a unit axis means nothing, and need not be a multiple.
std::vector<std::int64_t> strides_in(const Layout& layout, std::int64_t bytes) {
  std::vector<std::int64_t> strides(layout.strides.span().begin(), layout.strides.span().end());
  for (std::size_t i = 0; i < strides.size(); ++i)
    strides[i] = layout.extents[i] > 1 ? strides[i] / bytes : 1;
  return strides;
}

std::string stated(const Layout& layout) {
  return "its shape is " + tuple_text(layout.extents) + ", its strides are " +
         tuple_text(layout.strides) + " bytes";
}

// An axis of `out` that does not step over the bytes of all axes with shorter steps.
struct Crossing {
  std::size_t axis;
  std::uint64_t step;  // of that axis, in bytes
  std::uint64_t span;  // bytes that the others reach
};

std::optional<Crossing> crossing(const Layout& out) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < out.extents.size(); ++i)
    if (out.extents[i] > 1) order.push_back(i);
  const auto step = [&](std::size_t axis) {
    const std::int64_t stride = out.strides[axis];
    return stride < 0 ? 0 - static_cast<std::uint64_t>(stride) : static_cast<std::uint64_t>(stride);
  };
  std::ranges::sort(order, {}, step);
  auto span = static_cast<std::uint64_t>(out.element_bytes);
  for (const std::size_t axis : order) {
    if (step(axis) < span) return Crossing{axis, step(axis), span};
    std::uint64_t more = 0;
    if (__builtin_mul_overflow(step(axis), static_cast<std::uint64_t>(out.extents[axis] - 1),
                               &more) ||
        __builtin_add_overflow(span, more, &span))
      break;  // refused where the problem is made
  }
  return std::nullopt;
}

[[noreturn]] void refuse_overlap(const Layout& out, const Crossing& crossing) {
  refuse("elements of out overlap: axis " + std::to_string(crossing.axis) + " steps over " +
         std::to_string(crossing.step) + " bytes, and " + std::to_string(crossing.span) +
         " bytes lie within a step; " + stated(out) +
         "; permute into an array of its own, and copy from there");
}

// In place the library moves whole elements.
[[noreturn]] void refuse_parts_in_place(const Layout& array) {
  const std::string bytes = std::to_string(array.element_bytes);
  if (array.element_bytes > kMostElementBytes)
    refuse("in place elements have at most " + std::to_string(kMostElementBytes) + " bytes, not " +
           bytes + "; use a separate output");
  refuse("in place strides are multiples of the " + bytes + " bytes of an element, and here " +
         stated(array) + "; use a separate output");
}

}  // namespace

void Axes::push(std::int64_t value) {
  if (size_ == kMostAxes)
    refuse("an array has at most " + std::to_string(kMostAxes) + " axes here, as in NumPy");
  values_[size_++] = value;
}

bool Layout::is_empty() const {
  return element_bytes == 0 || std::ranges::find(extents.span(), 0) != extents.span().end();
}

Layout dense(const Axes& extents, std::int64_t element_bytes, Device device) {
  Layout layout{
      .extents = extents, .strides = extents, .element_bytes = element_bytes, .device = device};
  std::int64_t stride = element_bytes;
  bool overflows = false;
  for (std::size_t i = extents.size(); i-- > 0;) {
    layout.strides[i] = stride;
    overflows |= __builtin_mul_overflow(stride, extents[i], &stride);
  }
  if (overflows && !layout.is_empty())
    refuse("an array of the shape " + tuple_text(extents) + " has more than 2^63 bytes");
  return layout;
}

Axes strides_of_new(const Axes& extents) {
  Axes filled = extents;
  for (std::size_t i = 0; i < filled.size(); ++i) filled[i] = std::max<std::int64_t>(filled[i], 1);
  return dense(filled, 1, {}).strides;
}

Axes permuted(const Axes& extents, const Axes& axes) {
  Axes result;
  for (const std::int64_t axis : axes.span()) result.push(extents[static_cast<std::size_t>(axis)]);
  return result;
}

bool stays(const Layout& in, const Layout& out, const Axes& axes) {
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (out.extents[i] > 1 && in.strides[static_cast<std::size_t>(axes[i])] != out.strides[i])
      return false;
  return true;
}

void check_fit(const Layout& in, const Layout& out, const Axes& axes) {
  if (const Axes wanted = permuted(in.extents, axes);
      !std::ranges::equal(wanted.span(), out.extents.span()))
    refuse("out has the shape " + tuple_text(out.extents) + ", the result " + tuple_text(wanted));
  if (in.element_bytes != out.element_bytes)
    refuse("out has elements of " + std::to_string(out.element_bytes) + " bytes, the input of " +
           std::to_string(in.element_bytes) + ": elements are moved, not converted");
  if (in.device != out.device)
    refuse("out is on " + to_string(out.device) + ", the input on " + to_string(in.device) +
           ": copy one to the other's device first");
}

Problem nothing_of(const Layout& in) {
  const bool is_size = in.element_bytes > 0 && in.element_bytes <= kMostElementBytes;
  return matrix(0, 0, is_size ? static_cast<std::uint32_t>(in.element_bytes) : 1, in.device);
}

Problem problem_of(const Layout& in, const Layout& out, const Axes& axes, bool in_place) {
  check_fit(in, out, axes);
  const std::int64_t unit = unit_of(in, out);
  const std::optional<Crossing> found = out.is_empty() ? std::nullopt : crossing(out);
  if (found && found->step == 0) refuse_overlap(out, *found);
  if (in_place && unit != in.element_bytes) refuse_parts_in_place(in);
  std::vector<std::int64_t> shape(in.extents.span().begin(), in.extents.span().end());
  std::vector<std::int64_t> in_strides = strides_in(in, unit), out_strides = strides_in(out, unit);
  std::vector<int> order(axes.span().begin(), axes.span().end());
  if (unit != in.element_bytes) {  // the parts of an element are an axis that stays innermost
    shape.push_back(in.element_bytes / unit);
    in_strides.push_back(1);
    out_strides.push_back(1);
    order.push_back(static_cast<int>(order.size()));
  }
  Problem problem = permutation(shape, order, in_strides, out_strides,
                                static_cast<std::uint32_t>(unit), in.device);
  if (found && output_overlaps(problem)) refuse_overlap(out, *found);
  problem.in_place = in_place;
  problem.in_alignment = problem.out_alignment = 1;
  if (in_place) check_in_place(problem, shape, order, in_strides, out_strides);
  return problem;
}

}  // namespace xpose::python
