// One element a thread; consecutive threads copy down a column, so that both the loads and the
// stores of a warp are scattered. The study's copyCol ("Professional CUDA C Programming", chapter
// 4): what a wrong walk costs when nothing is transposed, 515 GB/s at 4096x4096 of 4 bytes on an
// H200.
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
