// One element a thread; consecutive threads copy down a column, so that both the loads and the
// stores of a warp are scattered. The study's copyCol ("Professional CUDA C Programming", chapter
// 4) shows the cost of a wrong walk where nothing is transposed.
#pragma once

#include <cstdint>

namespace xpose::kernels {

template <class E>
__global__ void copy_col(const E* __restrict__ in, E* __restrict__ out, int rows, int cols,
                         int64_t in_ld, int64_t out_ld) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;  // (block_x, block_y) of (rows, cols)
  const int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && col < cols) out[row * out_ld + col] = in[row * in_ld + col];
}

}  // namespace xpose::kernels
