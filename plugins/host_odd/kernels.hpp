// The kernels, for each instruction set with vectors.
#pragma once

#include <cstdint>
#include <vector>

namespace host_odd {

inline constexpr int64_t kLine = 64;  // bytes

// Units of less than 8 bytes are padded in registers, to a power of two.
constexpr int64_t padded_bytes(int64_t unit) { return unit < 4 ? 4 : unit < 8 ? 8 : 16; }

// Rows and columns that a tile has at least: a line of the output, and a padded square.
constexpr int64_t least_rows(int64_t unit) { return unit < 16 ? (kLine + unit - 1) / unit : 4; }
constexpr int64_t least_cols(int64_t unit) { return 16 / padded_bytes(unit); }

// Tiles of so many rows and columns. The last ones of a side have up to as many more as are too few
// for a tile of their own.
struct TileShape {
  int64_t unit;        // bytes
  int64_t rows, cols;  // multiples of 16 and of 4

  constexpr int64_t most_cols() const { return cols + least_cols(unit) - 1; }
  constexpr int64_t down(int64_t extent) const { return tiles(extent, rows, least_rows(unit)); }
  constexpr int64_t across(int64_t extent) const { return tiles(extent, cols, least_cols(unit)); }

  // A staged column is a run of the output, of a line more in a last tile, behind a line with bytes
  // of the tile above. An odd number of lines, so that columns fall into all sets of the first
  // level.
  constexpr int64_t pitch() const { return (((rows * unit - 1) / kLine + 3) | 1) * kLine; }
  constexpr int64_t staged_bytes() const { return (most_cols() + 1) * pitch(); }

 private:
  static constexpr int64_t tiles(int64_t extent, int64_t tile, int64_t least) {
    return extent < tile ? 1 : (extent + tile - least) / tile;
  }
};

// Tiles that are walked along the rows before those below: their columns carry a line each.
inline constexpr int64_t kCarriedCols = 1024;
constexpr int64_t strip_tiles(const TileShape& shape) {
  return shape.cols < kCarriedCols ? kCarriedCols / shape.cols : 1;
}

// Two tiles that are staged, and the lines that a strip carries.
constexpr int64_t scratch_bytes(const TileShape& shape) {
  return 2 * shape.staged_bytes() +
         (strip_tiles(shape) * shape.cols + least_cols(shape.unit)) * kLine;
}

// A part of a matrix: rows [row_begin, row_end) x columns [col_begin, col_end).
struct Rectangle {
  const uint8_t* in;    // unit 0 of the matrix
  const uint8_t* next;  // unit 0 of a matrix whose same part comes next, or null
  uint8_t* out;
  int64_t in_pitch, out_pitch;  // bytes from row to row
  int64_t row_begin, row_end, col_begin, col_end;
  int64_t cols;  // of the matrix
  TileShape shape;
  uint8_t* scratch;  // scratch_bytes(), aligned to lines
};

// The kernels as compiled for one instruction set.
struct Kernels {
  const char* target;  // its name, e.g. "AVX3"
  void (*transpose)(const Rectangle& rectangle);
  void (*finish)();  // orders its stores with the thread's later ones
};

// Those that this processor can run, the widest vectors first. [any thread]
const std::vector<Kernels>& kernels();

}  // namespace host_odd
