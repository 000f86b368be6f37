// Four elements a thread, blockDim.x apart along an output row: four strided loads are in flight
// before the first coalesced store. The study's transposeUnroll4Col ("Professional CUDA C
// Programming", chapter 4). The sectors are those of naive_col; more loads in flight hide more of
// their latency.
#pragma once

#include <cstdint>

namespace xpose::kernels {

template <class E>
__global__ void unroll4_col(const E* __restrict__ in, E* __restrict__ out, int rows, int cols,
                            int64_t in_ld, int64_t out_ld, int64_t in_stride, int64_t out_stride) {
  const int block_x = blockDim.x;
  const int row = blockIdx.x * (4 * block_x) + threadIdx.x;  // (4 * block_x, block_y)
  const int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (col >= cols) return;
  in += blockIdx.z * in_stride + row * in_ld + col;
  out += blockIdx.z * out_stride + col * out_ld + row;

  E value[4];
  for (int i = 0; i < 4; ++i)
    if (row + i * block_x < rows) value[i] = in[i * block_x * in_ld];
  for (int i = 0; i < 4; ++i)
    if (row + i * block_x < rows) out[i * block_x] = value[i];
}

}  // namespace xpose::kernels
