#include "tiling.hpp"

#include <algorithm>
#include <cmath>

#include "../kit/matrices.hpp"

namespace staged {

using xpose::plugin::bytes_of;
using xpose::plugin::matrices_of;

namespace {

// Of the first and of the last tile.
constexpr int64_t kStrips = 4;
// A smaller copy takes as long to start as to carry out.
constexpr int64_t kLeastBytes = 1 << 20;
// Kernels between smaller bands take longer than the memory is worth that these save.
constexpr int64_t kLeastBand = 4 << 20;
// The kernel counts the rows and the columns of a band by 32 bits.
constexpr int64_t kMostExtent = 1 << 30;
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

// One of so many strips, across the tile's longest extent, which has as many.
Tile strip_of(Tile tile, int64_t number, int64_t strips) {
  const auto cut = [&](int64_t& begin, int64_t& extent) {
    const int64_t first = extent * number / strips, end = extent * (number + 1) / strips;
    begin += first;
    extent = end - first;
  };
  if (tile.matrices >= std::max(tile.rows, tile.cols))
    cut(tile.matrix, tile.matrices);
  else if (tile.rows >= tile.cols)
    cut(tile.row, tile.rows);
  else
    cut(tile.col, tile.cols);
  return tile;
}

}  // namespace

Tiling::Tiling(const xpose_problem& problem, int64_t slot_bytes, int64_t least, int64_t bands)
    : matrices_(matrices_of(problem)),
      rows_(problem.rows),
      cols_(problem.cols),
      element_bytes_(problem.element_bytes) {
  const int64_t even = std::max(bytes_of(problem) / least, kLeastBytes);
  const int64_t elements = std::min(even, slot_bytes) / element_bytes_;
  full_ = {0, 0, 0, 1, rows_, cols_};
  if (rows_ <= elements / cols_ && std::max(rows_, cols_) <= kMostExtent) {
    full_.matrices = std::min(matrices_, elements / (rows_ * cols_));
  } else {
    // Nearly square: both sides have long runs.
    const auto side = static_cast<int64_t>(std::sqrt(static_cast<double>(elements)));
    const int64_t width = std::min(cols_, side);
    full_.rows = balanced(rows_, std::min({rows_, elements / width, kMostExtent}));
    full_.cols = balanced(cols_, std::min({cols_, elements / full_.rows, kMostExtent}));
  }
  if (whole_tiles() > 1) {
    const Tile last = whole_at(whole_tiles() - 1);
    const int64_t bytes = last.matrices * last.rows * last.cols * element_bytes_;
    strips_ = std::clamp<int64_t>(bytes / kLeastBytes, 1, kStrips);
  }
  const int64_t most = std::clamp<int64_t>(most_bytes() / kLeastBand, 1, bands);
  bands_are_matrices_ = full_.matrices >= most;
  band_ = across(bands_are_matrices_ ? full_.matrices : full_.rows, most);
  if (!bands_are_matrices_ && band_ > kStep && most > 1) band_ = across(band_, kStep) * kStep;
}

int64_t Tiling::bands(const Tile& tile) const {
  return across(bands_are_matrices_ ? tile.matrices : tile.rows, band_);
}

Tile Tiling::band(const Tile& tile, int64_t number) const {
  Tile band = tile;
  const auto cut = [&](int64_t& begin, int64_t& extent) {
    begin += number * band_;
    extent = std::min(band_, extent - number * band_);
  };
  if (bands_are_matrices_)
    cut(band.matrix, band.matrices);
  else
    cut(band.row, band.rows);
  return band;
}

int64_t Tiling::band_bytes() const {
  const Tile largest = band(full_, 0);
  return largest.matrices * largest.rows * largest.cols * element_bytes_;
}

Tile Tiling::at(int64_t number) const {
  if (number < strips_) return strip_of(whole_at(0), number, strips_);
  if (const int64_t strip = number - (count() - strips_); strip >= 0)
    return strip_of(whole_at(whole_tiles() - 1), strip, strips_);
  return whole_at(number - (strips_ - 1));
}

Tile Tiling::whole_at(int64_t number) const {
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
