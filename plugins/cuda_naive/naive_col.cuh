// One element a thread; consecutive threads write along an output row. Stores are coalesced, and
// every load of a warp falls into another sector. The study's transposeNaiveCol ("Professional CUDA
// C Programming", chapter 4). The loads touch as many sectors as the stores of naive_row do, but
// the L1 cache keeps a sector until its other elements are asked for, so naive_col is faster.
#pragma once

#include <cstdint>

namespace xpose::kernels {

template <class E>
__global__ void naive_col(const E* __restrict__ in, E* __restrict__ out, int rows, int cols,
                          int64_t in_ld, int64_t out_ld, int64_t in_stride, int64_t out_stride) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;  // (block_x, block_y) of (rows, cols)
  const int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= rows || col >= cols) return;
  in += blockIdx.z * in_stride;
  out += blockIdx.z * out_stride;
  out[col * out_ld + row] = in[row * in_ld + col];
}

}  // namespace xpose::kernels
