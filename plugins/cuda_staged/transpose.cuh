// Transposes the matrices of a band within the GPU's memory, where they lie without gaps, to their
// places in a tile.
#pragma once

#include <cstdint>

namespace kernels {

inline constexpr int kThreadsX = 32, kThreadsY = 8;

// A square of shared memory is read by rows and written by columns. Its padding is a word, or an
// element where that is more, so that a column lies in all banks.
template <class E>
struct Square {
  static constexpr int kSide = sizeof(E) > 4 ? 32 : 64;
  static constexpr int kPad = sizeof(E) < 4 ? 4 / sizeof(E) : 1;
};

// Squares of a band, which are its blocks: along x alone, since a grid has no more along y and z
// than 65535.
template <class E>
int64_t squares(int64_t matrices, int64_t rows, int64_t cols) {
  constexpr int64_t kSide = Square<E>::kSide;
  return matrices * ((rows + kSide - 1) / kSide) * ((cols + kSide - 1) / kSide);
}

// A band has less than 2^31 elements. Rows of the output are `out_ld` elements apart.
template <class E>
__global__ void __launch_bounds__(kThreadsX* kThreadsY)
    staged(const E* __restrict__ in, E* __restrict__ out, int rows, int cols, int64_t out_ld) {
  constexpr int kSide = Square<E>::kSide;
  __shared__ E square[kSide][kSide + Square<E>::kPad];  // (rows, cols) of the input
  const unsigned down = (rows + kSide - 1) / kSide, across = (cols + kSide - 1) / kSide;
  const unsigned number = blockIdx.x % (down * across);
  const int64_t matrix = blockIdx.x / (down * across);
  const int row = static_cast<int>(number / across) * kSide;
  const int col = static_cast<int>(number % across) * kSide;
  in += matrix * rows * cols;
  out += matrix * out_ld * cols;
#pragma unroll
  for (int y = 0; y < kSide; y += kThreadsY)
#pragma unroll
    for (int x = 0; x < kSide; x += kThreadsX) {  // along an input row
      const int r = row + y + threadIdx.y, c = col + x + threadIdx.x;
      if (r < rows && c < cols)
        square[y + threadIdx.y][x + threadIdx.x] = in[r * int64_t{cols} + c];
    }
  __syncthreads();
#pragma unroll
  for (int y = 0; y < kSide; y += kThreadsY)
#pragma unroll
    for (int x = 0; x < kSide; x += kThreadsX) {  // along an output row
      const int r = row + x + threadIdx.x, c = col + y + threadIdx.y;
      if (r < rows && c < cols) out[c * out_ld + r] = square[x + threadIdx.x][y + threadIdx.y];
    }
}

}  // namespace kernels
