// One element a thread; consecutive threads copy along a row, so loads and stores are coalesced.
// The study's copyRow ("Professional CUDA C Programming", chapter 4). One 4-byte load in flight per
// thread is too little to fill the memory's bandwidth.
#pragma once

#include <cstdint>

namespace xpose::kernels {

template <class E>
__global__ void copy_row(const E* __restrict__ in, E* __restrict__ out, int rows, int cols,
                         int64_t in_ld, int64_t out_ld) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;  // (block_y, block_x) of (rows, cols)
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && col < cols) out[row * out_ld + col] = in[row * in_ld + col];
}

}  // namespace xpose::kernels
