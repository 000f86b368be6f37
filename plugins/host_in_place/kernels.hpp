// The kernels, for each instruction set with vectors.
#pragma once

#include <vector>

#include "pairs.hpp"

namespace host_in_place {

// The kernels as compiled for one instruction set.
struct Kernels {
  const char* target;  // its name, e.g. "AVX3"
  // The pairs [first, last), in that order, of blocks of `run` bytes a row, 256 or 128, change
  // places. Elements of 1, 2, 4, 8 or 16 bytes, at any addresses.
  void (*swap)(const Squares& squares, uint32_t element_bytes, int64_t run, Order order,
               int64_t first, int64_t last);
};

// Those that this processor can run, the widest vectors first. [any thread]
const std::vector<Kernels>& kernels();

}  // namespace host_in_place
