// Two tiles side by side in x for each block: twice the loads in flight before the barrier, and
// half the blocks, with the sectors and wavefronts of one tile. The study's transposeSmemUnroll and
// transposeSmemUnrollPad ("Professional CUDA C Programming", chapter 5).
#pragma once

#include <cstdint>
#include <xpose/cuda.hpp>

namespace xpose::kernels {

// A block of (TileRows / Items, block_x) threads; pitch is in elements. Dynamic shared memory:
// TileRows * pitch elements.
template <class E, int TileRows, int Items>
__global__ void smem_unroll2(const E* __restrict__ in, E* __restrict__ out, int rows, int cols,
                             int64_t in_ld, int64_t out_ld, int64_t in_stride, int64_t out_stride,
                             int pitch) {
  constexpr int kBlockRows = TileRows / Items;
  E* const tile = plugin::shared_memory<E>();  // (TileRows, pitch)
  const int block_x = blockDim.x;
  const int first_row = blockIdx.y * TileRows;
  const int first_col = blockIdx.x * (2 * block_x);

  const int row = first_row + threadIdx.y;  // (kBlockRows, block_x), Items times down, 2 across
  const int col = first_col + threadIdx.x;
  in += blockIdx.z * in_stride + row * in_ld + col;
  E* const staged = tile + threadIdx.y * pitch + threadIdx.x;
  E left[Items], right[Items];
  for (int i = 0; i < Items; ++i) {
    const bool inside = row + i * kBlockRows < rows;
    if (inside && col < cols) left[i] = in[i * kBlockRows * in_ld];
    if (inside && col + block_x < cols) right[i] = in[i * kBlockRows * in_ld + block_x];
  }
  for (int i = 0; i < Items; ++i) {
    const bool inside = row + i * kBlockRows < rows;
    if (inside && col < cols) staged[i * kBlockRows * pitch] = left[i];
    if (inside && col + block_x < cols) staged[i * kBlockRows * pitch + block_x] = right[i];
  }

  __syncthreads();

  const unsigned thread = threadIdx.y * block_x + threadIdx.x;
  const int tile_row = thread % TileRows;  // (TileRows, block_x / Items), 2 * Items times across
  const int tile_col = thread / TileRows;
  const int step = block_x / Items;
  const int out_row = first_col + tile_col;
  const int out_col = first_row + tile_row;
  out += blockIdx.z * out_stride + out_row * out_ld + out_col;
  const E* const column = tile + tile_row * pitch + tile_col;
  for (int i = 0; i < 2 * Items; ++i)
    if (out_col < rows && out_row + i * step < cols) out[i * step * out_ld] = column[i * step];
}

}  // namespace xpose::kernels
