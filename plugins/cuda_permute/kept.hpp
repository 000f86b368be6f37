// The parameters of the kernel that moves kept runs whose bytes lie otherwise in words of the input
// than in those of the output, and how they follow from a cut. Host code; the kernel reads the
// structures.
#pragma once

#include <cstdint>

#include "parameters.hpp"

namespace cuda_permute {

// An axis that numbers the pieces of runs in a tile.
struct KeptAxis {
  int64_t in, out;  // bytes from one index to the next
  Division by_extent;
  uint32_t extent, cut, left;  // as of TileAxis
};

struct Kept {
  // A piece of a run, or a whole one, and the most words of the output that it lies in.
  struct Piece {
    uint32_t bytes, words;
    Division by_words;
  };
  Piece piece, last_piece;  // the second in the last tile along the cut
  uint32_t cut;
  uint32_t pieces;  // of a tile
  int32_t axes;
  KeptAxis axis[16];  // fastest first in the output
  int64_t element_bytes;
  int64_t low, end;  // bytes that the input has before element 0, and from it on
  int32_t steps;
  Step step[31];  // fastest first
};

// Of a cut that is moved so.
Kept kept(const Cut& cut, bool along_input);

}  // namespace cuda_permute
