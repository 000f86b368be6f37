// The parameters of the kernels that move runs by bulk copies, and how they follow from a cut. Host
// code; the kernels read the structures.
#pragma once

#include <cstdint>

#include "parameters.hpp"

namespace cuda_permute {

// The copies of one side of a tile: each of as many bytes as lie side by side in memory and in
// shared memory. The other axes of the tile number them.
struct Pieces {
  uint32_t count;
  uint32_t bytes, last_bytes, cut;  // of a piece; of one in the last tile along the cut
  int32_t axes;
  TileAxis axis[16];  // fastest first; strides in bytes
};

struct Bulk {
  Pieces load, store;
  uint32_t tile_bytes;  // of shared memory
  int32_t steps;
  Step step[31];  // fastest first
};

// Squares that are loaded by bulk copies; elements of the output.
struct BulkSquares {
  Pieces load;
  uint32_t tile_bytes;  // of shared memory
  uint32_t squares;
  uint32_t row_place;  // bytes from row to row of a square in shared memory
  int64_t col_stride;  // between its columns in the output
  int32_t axes, steps;
  TileAxis axis[16];  // of squares, fastest first in the output
  Step step[31];      // fastest first
};

// Of a cut that is moved so.
Bulk bulk(const Cut& cut, bool along_input);
BulkSquares bulk_squares(const Cut& cut, bool along_input);

}  // namespace cuda_permute
