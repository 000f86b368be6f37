// The kernels, for each instruction set with vectors.
#pragma once

#include <vector>

#include "rectangle.hpp"

namespace host_simd {

// Elements a side of a tile, a line of 64 bytes.
constexpr int64_t tile_side(uint32_t element_bytes) { return 64 / element_bytes; }

// The kernels as compiled for one instruction set.
struct Kernels {
  const char* target;  // its name, e.g. "AVX3"
  // Transposes a rectangle of elements of 1, 2, 4, 8 or 16 bytes. Non-temporal stores are ordered
  // with the thread's later ones when it returns.
  void (*transpose)(const Rectangle& rectangle, uint32_t element_bytes);
};

// Those that this processor can run, the widest vectors first. [any thread]
const std::vector<Kernels>& kernels();

}  // namespace host_simd
