#include "runs.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "places.hpp"

namespace cuda_permute {
namespace {

constexpr int64_t kTableBytes = 10 << 10;  // at most
constexpr int64_t kPlaces = 0xff00;        // fit into 16 bits
constexpr int64_t kSpareBytes = 2048;      // for paddings, besides an eighth of the tile
// Elements, unless an axis alone has more: a table has an entry for each.
constexpr int64_t kLongestRun = 1024;

int64_t word_of(const Form& form) { return std::max(form.bytes, kWord); }

int64_t remainder(int64_t value, int64_t by) { return (value % by + by) % by; }

// The axes of a tile.
struct Parts {
  std::vector<Axis> axes;
  std::vector<uint32_t> cut;
  std::vector<int64_t> left;  // of the extent, in the last tile

  Parts(const Cut& of, const std::vector<uint32_t>& cuts) {
    const std::vector<Axis>& all = of.form().axes;
    for (size_t i = 0; i < all.size(); ++i) {
      const int64_t extent = of.tile().extents[i];
      if (extent == 1) continue;
      axes.push_back({extent, all[i].in, all[i].out});
      cut.push_back(cuts[i]);
      left.push_back(all[i].extent % extent);
    }
  }
};

// How many axes, the innermost first, continue each other in a side.
size_t axes_of_run(const Parts& parts, const std::vector<int>& order, int64_t Axis::*stride) {
  int64_t run = 1;
  size_t count = 0;
  for (const int number : order) {
    const auto at = static_cast<size_t>(number);
    const Axis& axis = parts.axes[at];
    if (axis.*stride != run || (count > 0 && run * axis.extent > kLongestRun)) break;
    run *= axis.extent;
    ++count;
    if (parts.cut[at] != 0) break;
  }
  return count;
}

RunSide::Length length(uint32_t elements, int64_t bytes, int64_t word) {
  const int64_t words = std::max<int64_t>((elements * bytes + word - bytes + word - 1) / word, 2);
  return {elements, static_cast<uint32_t>(words), division_by(words)};
}

// Axes of runs stay in front; of the others one that is cut comes last, so that the tiles that have
// less of it have fewer runs.
std::vector<int> cut_last(const Parts& parts, std::vector<int> order, int64_t Axis::*stride) {
  const auto first = order.begin() + static_cast<int64_t>(axes_of_run(parts, order, stride));
  std::stable_partition(first, order.end(),
                        [&](int number) { return parts.cut[static_cast<size_t>(number)] == 0; });
  return order;
}

RunSide side_of(const Parts& parts, const std::vector<int>& order, int64_t Axis::*stride,
                const std::vector<int64_t>& places, int64_t bytes, int64_t word) {
  RunSide side{};
  side.run_axes = static_cast<int32_t>(axes_of_run(parts, order, stride));
  side.run = length(1, bytes, word);
  side.runs = 1;
  for (const int number : order) {
    const auto at = static_cast<size_t>(number);
    const Axis& axis = parts.axes[at];
    const auto extent = static_cast<uint32_t>(axis.extent);
    if (side.axes < side.run_axes) {
      if (parts.cut[at] != 0) {
        side.run_cut = parts.cut[at];
        side.last_run =
            length(side.run.elements * static_cast<uint32_t>(parts.left[at]), bytes, word);
      }
      side.run = length(side.run.elements * extent, bytes, word);
    } else {
      if (parts.cut[at] != 0 && number == order.back()) {
        side.cut = parts.cut[at];
        side.last_runs = side.runs * static_cast<uint32_t>(parts.left[at]);
      }
      side.runs *= extent;
    }
    side.axis[side.axes++] = {.stride = axis.*stride,
                              .by_extent = division_by(axis.extent),
                              .extent = extent,
                              .place = static_cast<uint32_t>(places[at]),
                              .cut = parts.cut[at],
                              .left = static_cast<uint32_t>(parts.left[at])};
  }
  return side;
}

}  // namespace

std::optional<Runs> runs(const Cut& of, bool along_input, bool paddings) {
  if (of.tile().tiles > INT32_MAX) return std::nullopt;
  const int64_t bytes = of.form().bytes, word = word_of(of.form());
  Runs to{};
  const Parts parts(of, add_steps(of, along_input, to.step, to.steps));
  const std::vector<int> load = by_input(parts.axes), store = by_output(parts.axes);
  std::vector<int64_t> extents, remainders;
  for (const Axis& axis : parts.axes) {
    extents.push_back(axis.extent);
    remainders.push_back(remainder(axis.in * bytes, word));
  }
  // A block has the same shared memory with paddings and without.
  const int64_t dense = of.tile().elements * bytes;
  const int64_t most = std::min((dense + dense / 8 + kSpareBytes) / 16 * 16, kPlaces);
  const std::vector<int64_t> strides = places({.extents = extents,
                                               .load = {load, word / bytes},
                                               .store = {store, out_word(bytes) / bytes},
                                               .nest = load,
                                               .dense = axes_of_run(parts, load, &Axis::in),
                                               .unit = bytes,
                                               .most = most - 2 * word,
                                               .word = word,
                                               .remainders = remainders,
                                               .tries_paddings = paddings});
  int64_t end = 2 * word;
  for (size_t i = 0; i < strides.size(); ++i) end += strides[i] * (extents[i] - 1);
  if (end > most) return std::nullopt;
  to.tile_bytes = static_cast<uint32_t>(most);
  to.load = side_of(parts, cut_last(parts, load, &Axis::in), &Axis::in, strides, bytes, word);
  to.store = side_of(parts, cut_last(parts, store, &Axis::out), &Axis::out, strides, bytes,
                     out_word(bytes));
  to.places =
      (to.store.run.elements + 2 * static_cast<uint32_t>(out_word(bytes) / bytes - 1) + 15) / 16 *
      16;
  if (shared_bytes(to, bytes) - to.tile_bytes > kTableBytes) return std::nullopt;
  to.end = bytes;
  for (const Axis& axis : of.form().axes)
    (axis.in < 0 ? to.low : to.end) += std::abs(axis.in) * (axis.extent - 1) * bytes;
  return to;
}

uint64_t shared_bytes(const Runs& runs, int64_t element_bytes) {
  const uint64_t of_word = static_cast<uint64_t>(out_word(element_bytes) / element_bytes);
  return runs.tile_bytes + runs.places * of_word * 2 + (runs.load.runs + runs.store.runs) * 8;
}

}  // namespace cuda_permute
