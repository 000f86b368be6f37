// The parameters of the kernel that moves kept runs by bulk copies, and how they follow from a cut.
// Host code; the kernel reads the structures.
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
  TileAxis axis[16];  // fastest first
};

struct Bulk {
  Pieces load, store;
  uint32_t tile_bytes;  // of shared memory
  int32_t steps;
  Step step[31];  // fastest first
};

// Of a cut that is moved in bulk.
Bulk bulk(const Cut& cut, bool along_input);

}  // namespace cuda_permute
