// A tile is read by rows into shared memory, the threads are renumbered along the tile's columns,
// and each column leaves as a piece of an output row: loads and stores are both coalesced. The
// study's transposeSmem and transposeSmemPad ("Professional CUDA C Programming", chapter 5). The
// walk down a column of shared memory meets the same bank 16 times unless the pitch is padded. Few
// loads in flight a thread keep both below the memory's bandwidth.
#pragma once

#include <cstdint>
#include <xpose/cuda.hpp>

namespace xpose::kernels {

// A block of (TileRows / Items, block_x) threads; pitch is in elements. Dynamic shared memory:
// TileRows * pitch elements.
template <class E, int TileRows, int Items>
__global__ void smem(const E* __restrict__ in, E* __restrict__ out, int rows, int cols,
                     int64_t in_ld, int64_t out_ld, int64_t in_stride, int64_t out_stride,
                     int pitch) {
  constexpr int kBlockRows = TileRows / Items;
  E* const tile = plugin::shared_memory<E>();  // (TileRows, pitch)
  const int block_x = blockDim.x;
  const int first_row = blockIdx.y * TileRows;
  const int first_col = blockIdx.x * block_x;

  const int row = first_row + threadIdx.y;  // (kBlockRows, block_x), Items times down the tile
  const int col = first_col + threadIdx.x;
  in += blockIdx.z * in_stride + row * in_ld + col;
  E* const staged = tile + threadIdx.y * pitch + threadIdx.x;
  E value[Items];
  for (int i = 0; i < Items; ++i)
    if (col < cols && row + i * kBlockRows < rows) value[i] = in[i * kBlockRows * in_ld];
  for (int i = 0; i < Items; ++i)
    if (col < cols && row + i * kBlockRows < rows) staged[i * kBlockRows * pitch] = value[i];

  __syncthreads();

  const unsigned thread = threadIdx.y * block_x + threadIdx.x;
  const int tile_row = thread % TileRows;  // (TileRows, block_x / Items), Items times across
  const int tile_col = thread / TileRows;
  const int step = block_x / Items;
  const int out_row = first_col + tile_col;
  const int out_col = first_row + tile_row;
  out += blockIdx.z * out_stride + out_row * out_ld + out_col;
  const E* const column = tile + tile_row * pitch + tile_col;
  for (int i = 0; i < Items; ++i)
    if (out_col < rows && out_row + i * step < cols) out[i * step * out_ld] = column[i * step];
}

}  // namespace xpose::kernels
