// One element a thread; consecutive threads read along an input row. Loads are coalesced, and every
// store of a warp falls into another sector. The study's transposeNaiveRow ("Professional CUDA C
// Programming", chapter 4). With 4-byte elements the stores touch 8 times the sectors that the data
// needs, and that sets the time.
#pragma once

#include <cstdint>

namespace xpose::kernels {

template <class E>
__global__ void naive_row(const E* __restrict__ in, E* __restrict__ out, int rows, int cols,
                          int64_t in_ld, int64_t out_ld, int64_t in_stride, int64_t out_stride) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;  // (block_y, block_x) of (rows, cols)
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= rows || col >= cols) return;
  in += blockIdx.z * in_stride;
  out += blockIdx.z * out_stride;
  out[col * out_ld + row] = in[row * in_ld + col];
}

}  // namespace xpose::kernels
