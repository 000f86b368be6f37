// Batches whose matrices lie between each other's rows on both sides, as those of an array whose
// axes are all reversed do. The same tile of all matrices is one piece of memory there, so these go
// together: a tile of each, and then the next tile.
#pragma once

#include <cstdint>
#include <xpose/cuda.hpp>

namespace xpose::plugin {

// How many matrices go together along the grid's x, so that none is left for its z; 0: its z
// numbers them. Changes a grid whose z numbers those of the problem's batch. Tiles of one matrix
// that are neighbours share lines, so they should be near each other in time: `most` blocks go
// between them.
inline uint32_t matrices_together(const Problem& problem, int64_t most, Shape& grid) {
  const xpose_batch_dim& batch = problem.batch[0];
  const int64_t blocks = int64_t{grid.x} * grid.z;
  if (grid.z == 1 || blocks > most || batch.in_stride >= problem.in_ld ||
      batch.out_stride >= problem.out_ld)
    return 0;
  const uint32_t matrices = grid.z;
  grid = {static_cast<uint32_t>(blocks), grid.y};
  return matrices;
}

#if defined(__CUDACC__) || defined(XPOSE_SIMULATOR)

// The matrix of a block, and its number along x among those of that matrix.
struct BlockOfBatch {
  uint32_t x = blockIdx.x, matrix = blockIdx.z;

  __device__ __forceinline__ explicit BlockOfBatch(uint32_t together) {
    if (together == 0) return;
    x = blockIdx.x / together;
    matrix = blockIdx.x - x * together;
  }
};

#endif

}  // namespace xpose::plugin
