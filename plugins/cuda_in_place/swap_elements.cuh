// The same exchange by elements, for rows that 16-byte accesses do not fit: both tiles in shared
// memory, whose rows are longer by one word so that a column meets every bank. One H200, shares of
// the roof: 94.9 % with 8 bytes (8192 a side) and 90.2 % with 16, more than by vectors; 79.9 % with
// 4 bytes at 16384 a side, 57.5 % at 16383.
#pragma once

#include <cstdint>
#include <xpose/cuda.hpp>

#include "tile_pair.cuh"

namespace xpose::kernels {

inline constexpr int kElementTile = 32;  // elements a side, and threads along x
inline constexpr int kElementRows = 8;   // threads along y

// data is the first matrix; ld and stride are in elements.
template <class E>
__global__ void swap_elements(E* data, int side, int64_t ld, int64_t stride) {
  constexpr int kPitch = kElementTile + (sizeof(E) < 4 ? 4 / sizeof(E) : 1);
  __shared__ E tiles[2][kElementTile][kPitch];
  const TilePair pair = tile_pair(blockIdx.x);
  data += blockIdx.z * stride;
  const int row = pair.row * kElementTile, col = pair.col * kElementTile;
  E* const upper = data + int64_t{row} * ld + col;
  E* const lower = data + int64_t{col} * ld + row;
  const int x = threadIdx.x;
  for (int y = threadIdx.y; y < kElementTile; y += kElementRows) {
    if (row + y < side && col + x < side) tiles[0][y][x] = upper[y * ld + x];
    if (col + y < side && row + x < side) tiles[1][y][x] = lower[y * ld + x];
  }
  __syncthreads();
  for (int y = threadIdx.y; y < kElementTile; y += kElementRows) {
    if (col + y < side && row + x < side) lower[y * ld + x] = tiles[0][x][y];
    if (row != col && row + y < side && col + x < side) upper[y * ld + x] = tiles[1][x][y];
  }
}

}  // namespace xpose::kernels
