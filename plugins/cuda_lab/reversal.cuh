// A block of N threads turns N words around, which threads can do only through memory that all of
// them see.
#pragma once

#include <xpose/cuda.hpp>

namespace xpose::lab {

template <int N>
__global__ void reverse(const float* in, float* out) {
  __shared__ float row[N];
  row[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = row[N - 1 - threadIdx.x];
}

template <int N>
__global__ void reverse_dynamic(const float* in, float* out) {
  float* const row = plugin::shared_memory<float>();
  row[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = row[N - 1 - threadIdx.x];
}

}  // namespace xpose::lab
