// The tiles of a permutation, in the order in which they are moved.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "layout.hpp"
#include "tiling.hpp"

namespace host_permute {

// The begin of a tile, in bytes, and its index along each step.
struct Tile {
  int64_t in, out;
  std::vector<int64_t> index;
};

inline void move_along(const Layout& layout, Tile& tile, size_t step, int64_t tiles) {
  const auto& [axis, extent] = layout.tiling.steps[step];
  tile.index[step] += tiles;
  tile.in += tiles * extent * axis.in * layout.unit;
  tile.out += tiles * extent * axis.out * layout.unit;
}

inline Tile tile_at(const Layout& layout, int64_t number) {
  const std::vector<Step>& steps = layout.tiling.steps;
  Tile tile{layout.units.in_begin, layout.units.out_begin, std::vector<int64_t>(steps.size(), 0)};
  for (size_t i = 0; i < steps.size(); ++i) {
    const int64_t count = steps[i].count();
    move_along(layout, tile, i, number % count);
    number /= count;
  }
  return tile;
}

// Behind the last tile comes the first.
inline void advance(const Layout& layout, Tile& tile) {
  for (size_t i = 0; i < tile.index.size(); ++i) {
    move_along(layout, tile, i, 1);
    if (tile.index[i] < layout.tiling.steps[i].count()) return;
    move_along(layout, tile, i, -tile.index[i]);
  }
}

// So many of a full tile's rows, columns or pieces as one tile has; all where no step cuts them.
template <class Items>
int64_t count_in(const Tiling& tiling, const Tile& tile, int step, const Items& items) {
  const auto full = std::ssize(items);
  if (step < 0) return full;
  const Step& cut = tiling.steps[static_cast<size_t>(step)];
  const int64_t left = cut.axis.extent - tile.index[static_cast<size_t>(step)] * cut.tile;
  return full / cut.tile * std::min(cut.tile, left);
}

}  // namespace host_permute
