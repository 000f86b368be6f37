// Which two tiles a block has: the grid is one row of blocks over the tiles on and above the
// diagonal, so that no block is without work.
#pragma once

#include <cmath>
#include <cstdint>
#include <xpose/cuda.hpp>

namespace xpose::kernels {

// Row and column of a tile, row <= col; its partner is at (col, row).
struct TilePair {
  int row;
  int col;
};

// Pairs are counted down the columns of tiles: column c has the pairs c * (c + 1) / 2 and on. The
// root in single precision is one off at most, which the loops mend.
__device__ __forceinline__ TilePair tile_pair(uint32_t index) {
  const auto first = [](int col) { return static_cast<uint64_t>(col) * (col + 1) / 2; };
  int col = static_cast<int>((sqrtf(8.0f * static_cast<float>(index) + 1.0f) - 1.0f) * 0.5f);
  while (first(col) > index) --col;
  while (first(col + 1) <= index) ++col;
  return {static_cast<int>(index - first(col)), col};
}

}  // namespace xpose::kernels
