// A right strategy on a GPU, for animals to derive from, and a kernel that changes one byte.
#pragma once

#include <xpose/cuda.hpp>

#include "animal.hpp"

namespace zoo {

// One thread an element.
static __global__ void transpose_elements(Problem problem, const char* in, char* out) {
  const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (i >= problem.rows * problem.cols) return;
  const int64_t r = i / problem.cols, c = i % problem.cols;
  const int64_t bytes = problem.element_bytes;
  for (int64_t b = 0; b < bytes; ++b)
    out[(c * problem.out_ld + r) * bytes + b] = in[(r * problem.in_ld + c) * bytes + b];
}

static __global__ void flip_byte(char* byte) { *byte = static_cast<char>(~*byte); }

inline cudaStream_t stream_of(const Launch& launch) {
  return static_cast<cudaStream_t>(launch.stream);
}

inline void flip_on_device(const void* byte, const Launch& launch) {
  flip_byte<<<1, 1, 0, stream_of(launch)>>>(static_cast<char*>(const_cast<void*>(byte)));
  check_cuda(cudaGetLastError(), "flip_byte");
}

struct CudaAnimal : Animal {
  using Animal::Animal;

  static Card card() {
    Card card = Animal::card();
    card.device_kind = XPOSE_CUDA;
    return card;
  }

  void launch(const Launch& launch) const {
    note("launch");
    const int64_t elements = problem_.rows * problem_.cols;
    transpose_elements<<<static_cast<unsigned>(blocks_over(elements, 256)), 256, 0,
                         stream_of(launch)>>>(problem_, static_cast<const char*>(launch.in),
                                              static_cast<char*>(launch.out));
    check_cuda(cudaGetLastError(), "transpose_elements");
  }
};

}  // namespace zoo
