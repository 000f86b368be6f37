// Batches whose matrices lie between each other's rows on both sides, as those of an array whose
// axes are all reversed do. The same tile of all matrices is one piece of memory there, so these go
// together: a tile of each, and then the next tile.
#pragma once

#include <cstdint>
#include <string>
#include <xpose/cuda.hpp>

namespace xpose::plugin {

// Whether so many matrices go together, of which each has `blocks` along the grid's x. Tiles of one
// matrix that are neighbours share lines, so they should be near each other in time: at most `most`
// blocks go between them.
inline bool go_together(const Problem& problem, int64_t matrices, int64_t blocks, int64_t most) {
  return matrices > 1 && matrices * blocks <= most && problem.batch[0].in_stride < problem.in_ld &&
         problem.batch[0].out_stride < problem.out_ld;
}

// The words of a quote's launch text about them, behind its tiles.
inline std::string launch_together(const Problem& problem, const Tiling& tiling, int64_t most) {
  const int64_t matrices = problem.batch[0].extent;
  const int64_t blocks = blocks_over(problem.rows + tiling.behind_x, tiling.tile_x);
  if (!go_together(problem, matrices, blocks, most)) return "";
  return ", " + std::to_string(matrices) + " matrices together";
}

// How many matrices go together along the grid's x, so that none is left for its z; 0: its z
// numbers them. Changes a grid whose z numbers those of the problem's batch.
inline uint32_t matrices_together(const Problem& problem, int64_t most, Shape& grid) {
  if (!go_together(problem, grid.z, grid.x, most)) return 0;
  const uint32_t matrices = grid.z;
  const int64_t blocks = int64_t{grid.x} * matrices;
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
