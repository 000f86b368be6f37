// Four elements a thread, blockDim.x apart along an input row: four coalesced loads are in flight
// before the first store. The study's transposeUnroll4Row ("Professional CUDA C Programming",
// chapter 4). The scattered stores still set the time, so it is no faster than naive_row.
#pragma once

#include <cstdint>

namespace xpose::kernels {

template <class E>
__global__ void unroll4_row(const E* __restrict__ in, E* __restrict__ out, int rows, int cols,
                            int64_t in_ld, int64_t out_ld, int64_t in_stride, int64_t out_stride) {
  const int block_x = blockDim.x;
  const int col = blockIdx.x * (4 * block_x) + threadIdx.x;  // (block_y, 4 * block_x)
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  in += blockIdx.z * in_stride + row * in_ld + col;
  out += blockIdx.z * out_stride + col * out_ld + row;

  E value[4];
  for (int i = 0; i < 4; ++i)
    if (col + i * block_x < cols) value[i] = in[i * block_x];
  for (int i = 0; i < 4; ++i)
    if (col + i * block_x < cols) out[i * block_x * out_ld] = value[i];
}

}  // namespace xpose::kernels
