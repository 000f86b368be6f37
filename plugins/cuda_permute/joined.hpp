// The parameters of the kernel that joins elements of the same column to words of the output, and
// how they follow from a cut. Host code; the kernel reads the structure.
#pragma once

#include <cstdint>
#include <optional>

#include "runs.hpp"

namespace cuda_permute {

// Columns of a row, side by side in the input; a piece is as many of them as the kernel takes at
// once, and the last piece of a row ends with it.
struct Columns {
  uint32_t count, pieces;
};

struct Joined {
  Runs runs;                      // words of loads have 16 bytes; its store side is of one run
  Columns columns, last_columns;  // in the last tile along the cut
  uint32_t cut;
  Division by_pieces;    // of a row; not set where that is one
  uint32_t pieces;       // of the tile
  uint32_t piece_words;  // of a row of a piece; 1 or 2
  float instructions;    // for a word of the output, as counted; of a quote
  int32_t column_axes, axes;
  TileAxis column_axis[16];  // of the columns of a row, fastest first; strides of the output
  TileAxis axis[16];         // those that number rows of columns
};

// Nothing where few elements of the tile would be joined, or where a side has too many runs, or too
// long ones, for the tables of a block. Without paddings it is made faster, to be looked at.
std::optional<Joined> joined(const Cut& cut, bool along_input, bool paddings = true);

// Shared memory of a block, tables included.
uint64_t shared_bytes(const Joined& joined, int64_t element_bytes);

}  // namespace cuda_permute
