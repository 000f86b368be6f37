#include "tiling.hpp"

#include <algorithm>
#include <cmath>

#include "../kit/matrices.hpp"

namespace staged {

using xpose::plugin::bytes_of;
using xpose::plugin::matrices_of;

namespace {

// Fewer tiles than these spend much of their time on the way in of the first and out of the last.
constexpr int64_t kTiles = 20;
// A smaller copy takes as long to start as to carry out.
constexpr int64_t kLeastBytes = 1 << 20;
// Extents are multiples of the kernel's tile, so that its blocks are full.
constexpr int64_t kStep = 64;

// As many tiles of an extent as `most` asks for, but of one size.
int64_t balanced(int64_t extent, int64_t most) {
  if (most >= extent) return extent;
  const int64_t tiles = (extent + most - 1) / most;
  const int64_t even = (extent + tiles - 1) / tiles;
  const int64_t stepped = (even + kStep - 1) / kStep * kStep;
  return stepped <= most ? stepped : even;
}

}  // namespace

Tiling::Tiling(const xpose_problem& problem, int64_t slot_bytes)
    : matrices_(matrices_of(problem)),
      rows_(problem.rows),
      cols_(problem.cols),
      element_bytes_(problem.element_bytes) {
  const int64_t even = std::max(bytes_of(problem) / kTiles, kLeastBytes);
  const int64_t elements = std::min(even, slot_bytes) / element_bytes_;
  full_ = {0, 0, 0, 1, rows_, cols_};
  if (rows_ <= elements / cols_) {
    full_.matrices = std::min(matrices_, elements / (rows_ * cols_));
    return;
  }
  // Nearly square: both sides have long runs.
  const auto side = static_cast<int64_t>(std::sqrt(static_cast<double>(elements)));
  const int64_t width = std::min(cols_, side);
  full_.rows = balanced(rows_, std::min(rows_, elements / width));
  full_.cols = balanced(cols_, std::min(cols_, elements / full_.rows));
}

Tile Tiling::at(int64_t number) const {
  const int64_t down = across(rows_, full_.rows);
  const int64_t matrix = number / tiles_of_matrix() * full_.matrices;
  const int64_t row = number % down * full_.rows;
  const int64_t col = number % tiles_of_matrix() / down * full_.cols;
  return {matrix,
          row,
          col,
          std::min(full_.matrices, matrices_ - matrix),
          std::min(full_.rows, rows_ - row),
          std::min(full_.cols, cols_ - col)};
}

}  // namespace staged
