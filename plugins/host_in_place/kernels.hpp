// The kernels, for each instruction set with vectors.
#pragma once

#include <cstdint>
#include <vector>

#include "../kit/host/ceil_div.hpp"
#include "../kit/host/pairs.hpp"

namespace host_in_place {

using host::Order, host::Pair, host::Pairs;

// Squares of `side` x `side` elements in one buffer.
struct Squares {
  uint8_t* at;     // element 0 of the first
  int64_t side;    // elements
  int64_t pitch;   // bytes from one row to the next
  int64_t stride;  // bytes from one square to the next
};

// Blocks a side of a square, each `run` bytes wide.
inline int64_t blocks_of(int64_t side, int64_t element_bytes, int64_t run) {
  return host::ceil_div(side * element_bytes, run);
}

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
