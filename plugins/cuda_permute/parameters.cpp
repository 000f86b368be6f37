#include "parameters.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "places.hpp"

namespace cuda_permute {

Division division_by(int64_t divisor) {
  const int log2 = std::bit_width(static_cast<uint64_t>(divisor - 1));
  const uint64_t power = uint64_t{1} << (31 + log2);
  const auto by = static_cast<uint64_t>(divisor);
  return {static_cast<uint32_t>((power + by - 1) / by), static_cast<uint32_t>(log2 - 1)};
}

std::vector<uint32_t> add_steps(const Cut& of, bool along_input, Step* step, int32_t& steps) {
  const std::vector<Axis>& axes = of.form().axes;
  std::vector<uint32_t> cuts(axes.size(), 0);
  uint32_t cut = 1;
  for (const int number : along_input ? by_input(axes) : by_output(axes)) {
    const auto at = static_cast<size_t>(number);
    const int64_t extent = of.tile().extents[at], left = axes[at].extent % extent;
    const int64_t count = axes[at].extent / extent + (left != 0 ? 1 : 0);
    if (count == 1) continue;
    if (left != 0) cuts[at] = std::exchange(cut, 2 * cut);
    step[steps++] = {.in = extent * axes[at].in,
                     .out = extent * axes[at].out,
                     .by_count = division_by(count),
                     .count = static_cast<uint32_t>(count),
                     .cut = cuts[at]};
  }
  return cuts;
}

Parts::Parts(const Cut& of, const std::vector<uint32_t>& cuts) {
  const std::vector<Axis>& all = of.form().axes;
  const Inner inner = of.side() > 1 ? inner_axes(of.form()) : Inner{};
  for (size_t i = 0; i < all.size(); ++i) {
    const auto number = static_cast<int>(i);
    const int64_t side = number == inner.in || number == inner.out ? of.side() : 1;
    const int64_t extent = of.tile().extents[i];
    if (extent == side || number == of.strip_rows()) continue;
    axes.push_back({extent / side, all[i].in * side, all[i].out * side});
    cut.push_back(cuts[i]);
    left.push_back(all[i].extent % extent / side);
  }
  if (of.side() == 1) return;
  if (of.way() == Way::bulk_squares)
    axes.push_back({of.side(), all[static_cast<size_t>(inner.out)].in, 1});
  else
    axes.push_back({of.side(), 1, all[static_cast<size_t>(inner.in)].out});
  cut.push_back(0);
  left.push_back(0);
}

TileAxis Parts::tile_axis(int number, int64_t Axis::*stride, int64_t place) const {
  const auto at = static_cast<size_t>(number);
  const Axis& axis = axes[at];
  return {.stride = axis.*stride,
          .by_extent = division_by(axis.extent),
          .extent = static_cast<uint32_t>(axis.extent),
          .place = static_cast<uint32_t>(place),
          .cut = cut[at],
          .left = static_cast<uint32_t>(left[at])};
}

Permutation parameters(const Cut& of, bool along_input) {
  Permutation to{};
  to.tiles = static_cast<uint32_t>(of.tile().tiles);
  const Parts parts(of, add_steps(of, along_input, to.step, to.steps));
  const bool has_squares = of.side() > 1, has_strips = of.way() == Way::strips,
             is_direct = has_strips || of.way() == Way::direct;
  std::vector<int> store_order = by_output(parts.axes);
  std::vector<int> nest = store_order;
  std::vector<int> load_order = is_direct ? store_order : by_input(parts.axes);
  if (has_squares) {
    std::erase(load_order, static_cast<int>(parts.axes.size()) - 1);
    if (!of.stores_columns()) std::erase(store_order, static_cast<int>(parts.axes.size()) - 1);
  }

  std::vector<int64_t> strides(parts.axes.size(), 0);
  if (!is_direct) {
    std::vector<int64_t> extents;
    for (const Axis& axis : parts.axes) extents.push_back(axis.extent);
    strides = places({.extents = extents,
                      .load = {load_order},
                      .store = {store_order},
                      .nest = nest,
                      .dense = 0,
                      .unit = of.form().bytes * of.side(),
                      .most = static_cast<int64_t>(of.shared_bytes())});
  }
  const auto tile_axis = [&](int number, int64_t Axis::*stride) {
    return parts.tile_axis(number, stride, strides[static_cast<size_t>(number)]);
  };
  for (const int number : load_order) to.load_axis[to.load_axes++] = tile_axis(number, &Axis::in);
  for (const int number : store_order)
    to.store_axis[to.store_axes++] = tile_axis(number, &Axis::out);
  if (has_squares) {
    const Inner inner = inner_axes(of.form());
    to.row_stride = of.form().axes[static_cast<size_t>(inner.out)].in;
    to.col_stride = of.form().axes[static_cast<size_t>(inner.in)].out;
    to.col_place = static_cast<uint32_t>(strides.back());
  }
  if (has_strips) to.row_stride = of.form().axes[static_cast<size_t>(of.strip_rows())].in;
  return to;
}

}  // namespace cuda_permute
