// The cost of the order of a warp's threads in shared memory. A block of (Y, X) threads writes a
// tile and reads it back; one warp is one row of the block. Shared memory has 32 banks of 4 bytes:
// where the 32 threads want words of one bank, they get them one after the other. After the
// experiments of "Professional CUDA C Programming", chapter 5.
#pragma once

#include <xpose/cuda.hpp>

namespace xpose::lab {

// Neighbouring threads write and read neighbouring words.
template <int X, int Y>
__global__ void row_row(const float* in, float* out) {
  __shared__ float tile[Y][X];
  const int index = threadIdx.y * X + threadIdx.x;
  tile[threadIdx.y][threadIdx.x] = in[index];
  __syncthreads();
  out[index] = tile[threadIdx.y][threadIdx.x];
}

// Neighbouring threads are a whole row of Y words apart.
template <int X, int Y>
__global__ void col_col(const float* in, float* out) {
  __shared__ float tile[X][Y];
  const int index = threadIdx.y * X + threadIdx.x;
  tile[threadIdx.x][threadIdx.y] = in[index];
  __syncthreads();
  out[index] = tile[threadIdx.x][threadIdx.y];
}

// Written by rows and read by columns: out is the transpose of in. Pad words behind every row
// move each one's beginning to another bank.
template <int X, int Y, int Pad>
__global__ void row_col(const float* in, float* out) {
  __shared__ float tile[Y][X + Pad];
  const int index = threadIdx.y * X + threadIdx.x;
  tile[threadIdx.y][threadIdx.x] = in[index];
  __syncthreads();
  out[index] = tile[index % Y][index / Y];
}

// The same with shared memory whose size the launch gives: Y * (X + Pad) words.
template <int X, int Y, int Pad>
__global__ void row_col_dynamic(const float* in, float* out) {
  float* const tile = plugin::shared_memory<float>();
  const int index = threadIdx.y * X + threadIdx.x;
  tile[threadIdx.y * (X + Pad) + threadIdx.x] = in[index];
  __syncthreads();
  out[index] = tile[index % Y * (X + Pad) + index / Y];
}

}  // namespace xpose::lab
