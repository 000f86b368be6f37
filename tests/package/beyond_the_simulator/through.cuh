// A word that goes through shared memory.
#pragma once

#include <cstdint>

__device__ inline uint32_t through_shared(uint32_t word) {
  extern __shared__ uint32_t words[];  // HERE
  words[threadIdx.x] = word;
  return words[threadIdx.x];
}
