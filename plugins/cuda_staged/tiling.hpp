// The tiles of a problem that go through the slots of a GPU, one after the other. Arithmetic alone.
#pragma once

#include <cstdint>
#include <xpose/plugin.hpp>

namespace staged {

// A part of a problem that fits a slot: a rectangle of one matrix, or several whole matrices.
struct Tile {
  int64_t matrix, row, col;      // its begin: an index into the batch, and of the input
  int64_t matrices, rows, cols;  // its extents
  bool operator==(const Tile&) const = default;
};

// Covers every element of a problem once. The tiles of a problem differ in size at its ends alone.
// There the first and the last one come and leave alone: they are cut into strips, which are tiles
// of their own. Each tile comes in bands of whole rows or matrices, which are turned one by one.
class Tiling {
 public:
  // `slot_bytes` is the most that a tile has. A small problem is cut smaller, into `least` tiles,
  // so that they overlap each other on their way. Large tiles have `bands`, small ones fewer.
  Tiling(const xpose_problem& problem, int64_t slot_bytes, int64_t least, int64_t bands);

  int64_t count() const { return whole_tiles() + 2 * (strips_ - 1); }
  Tile at(int64_t number) const;  // number < count()
  const Tile& full() const { return full_; }
  int64_t most_bytes() const { return full_.matrices * full_.rows * full_.cols * element_bytes_; }
  int64_t strip_bytes() const { return most_bytes() / strips_; }  // of the first, about

  // Of a tile of this tiling: the parts in which it comes.
  int64_t bands(const Tile& tile) const;
  Tile band(const Tile& tile, int64_t number) const;  // number < bands(tile)
  int64_t band_bytes() const;                         // of the largest

 private:
  static int64_t across(int64_t extent, int64_t tile) { return (extent + tile - 1) / tile; }
  int64_t tiles_of_matrix() const { return across(rows_, full_.rows) * across(cols_, full_.cols); }
  int64_t whole_tiles() const { return across(matrices_, full_.matrices) * tiles_of_matrix(); }
  Tile whole_at(int64_t number) const;

  int64_t matrices_, rows_, cols_, element_bytes_;
  int64_t strips_ = 1;
  int64_t band_ = 1;  // rows of a band, or matrices
  bool bands_are_matrices_ = false;
  Tile full_{};
};

}  // namespace staged
