// The product of two square matrices of N * N floats: b follows a in memory. A block of (Tile,
// Tile) threads computes a tile of the product, a thread one element.
#pragma once

namespace xpose::lab {

// Every thread reads its row of a and its column of b from global memory.
template <int N, int Tile>
__global__ void multiply(const float* a, float* product) {
  const float* const b = a + N * N;
  const int row = blockIdx.y * Tile + threadIdx.y;
  const int col = blockIdx.x * Tile + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < N; ++k) sum += a[row * N + k] * b[k * N + col];
  product[row * N + col] = sum;
}

// The block reads each tile of a and of b once and shares it: Tile times fewer loads.
template <int N, int Tile>
__global__ void multiply_tiled(const float* a, float* product) {
  __shared__ float a_tile[Tile][Tile], b_tile[Tile][Tile];
  const float* const b = a + N * N;
  const int row = blockIdx.y * Tile + threadIdx.y;
  const int col = blockIdx.x * Tile + threadIdx.x;
  float sum = 0;
  for (int first = 0; first < N; first += Tile) {
    a_tile[threadIdx.y][threadIdx.x] = a[row * N + first + threadIdx.x];
    b_tile[threadIdx.y][threadIdx.x] = b[(first + threadIdx.y) * N + col];
    __syncthreads();
    for (int k = 0; k < Tile; ++k) sum += a_tile[threadIdx.y][k] * b_tile[k][threadIdx.x];
    __syncthreads();
  }
  product[row * N + col] = sum;
}

}  // namespace xpose::lab
