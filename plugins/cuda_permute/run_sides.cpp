#include "run_sides.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace cuda_permute {
namespace {

// Bytes of a run of the input from which on its next axis may rather be padded.
constexpr int64_t kLongLoad = 256;

int64_t remainder(int64_t value, int64_t by) { return (value % by + by) % by; }

// Axes of the run continue each other, as long as goes_on(elements of the run, extent of the next
// axis). Of the others one that is cut comes last, so that the tiles that have less of it have
// fewer runs.
template <class GoesOn>
Side side(const Parts& parts, std::vector<int> order, int64_t Axis::*stride,
          const GoesOn& goes_on) {
  int64_t run = 1;
  size_t count = 0;
  for (const int number : order) {
    const auto at = static_cast<size_t>(number);
    const Axis& axis = parts.axes[at];
    if (axis.*stride != run || (count > 0 && !goes_on(run, axis.extent))) break;
    run *= axis.extent;
    ++count;
    if (parts.cut[at] != 0) break;
  }
  const auto first = order.begin() + static_cast<int64_t>(count);
  std::stable_partition(first, order.end(),
                        [&](int number) { return parts.cut[static_cast<size_t>(number)] == 0; });
  return {std::move(order), stride, count, run};
}

RunSide::Length length(uint32_t elements, int64_t bytes, int64_t word) {
  const int64_t words = std::max<int64_t>((elements * bytes + word - bytes + word - 1) / word, 2);
  return {elements, static_cast<uint32_t>(words), division_by(words)};
}

}  // namespace

Side input_side(const Parts& parts, std::vector<int> order, int64_t bytes) {
  return side(parts, std::move(order), &Axis::in, [&](int64_t run, int64_t extent) {
    return run * extent <= kMostPlaces || run * bytes < kLongLoad;
  });
}

Side output_side(const Parts& parts, std::vector<int> order) {
  return side(parts, std::move(order), &Axis::out,
              [](int64_t run, int64_t) { return run < kMostPlaces; });
}

RunSide run_side(const Parts& parts, const Side& of, const std::vector<int64_t>& places,
                 int64_t bytes) {
  RunSide side{};
  side.run_axes = static_cast<int32_t>(of.run_axes);
  side.run = length(1, bytes, of.word);
  side.runs = 1;
  for (const int number : of.order) {
    const auto at = static_cast<size_t>(number);
    const Axis& axis = parts.axes[at];
    const auto extent = static_cast<uint32_t>(axis.extent);
    if (side.axes < side.run_axes) {
      if (parts.cut[at] != 0) {
        side.run_cut = parts.cut[at];
        side.last_run =
            length(side.run.elements * static_cast<uint32_t>(parts.left[at]), bytes, of.word);
      }
      side.run = length(side.run.elements * extent, bytes, of.word);
    } else {
      if (parts.cut[at] != 0 && number == of.order.back()) {
        side.cut = parts.cut[at];
        side.last_runs = side.runs * static_cast<uint32_t>(parts.left[at]);
      }
      side.runs *= extent;
    }
    side.axis[side.axes++] = parts.tile_axis(number, of.stride, places[at]);
  }
  return side;
}

std::vector<int64_t> extents_of(const Parts& parts) {
  std::vector<int64_t> extents;
  for (const Axis& axis : parts.axes) extents.push_back(axis.extent);
  return extents;
}

std::vector<int64_t> remainders_of(const Parts& parts, int64_t bytes, int64_t word) {
  std::vector<int64_t> remainders;
  for (const Axis& axis : parts.axes) remainders.push_back(remainder(axis.in * bytes, word));
  return remainders;
}

void add_span(Runs& to, const Form& form) {
  to.end = form.bytes;
  for (const Axis& axis : form.axes)
    (axis.in < 0 ? to.low : to.end) += std::abs(axis.in) * (axis.extent - 1) * form.bytes;
}

}  // namespace cuda_permute
