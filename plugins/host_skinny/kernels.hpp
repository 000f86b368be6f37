// The kernels, for each instruction set with vectors.
#pragma once

#include <vector>

#include "job.hpp"

namespace host_skinny {

// The kernels as compiled for one instruction set.
struct Kernels {
  const char* target;  // its name, e.g. "AVX3"
  // Transposes elements of 1, 2, 4, 8 or 16 bytes. Non-temporal stores are ordered with the
  // thread's later ones when it returns.
  void (*transpose)(const Job& job, uint32_t element_bytes);
};

// Those that this processor can run, the widest vectors first. [any thread]
const std::vector<Kernels>& kernels();

}  // namespace host_skinny
