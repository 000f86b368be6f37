// In place, tiles across the diagonal change places element by element: what is written was just
// read, so its lines are in the cache, and no buffer and no store that bypasses it is needed.
#pragma once

#include "fat_tile.hpp"

namespace host {

// bytes is a multiple of 16; any addresses.
inline void swap_elements(Byte* a, Byte* b, int64_t bytes) {
  using Vector = Byte __attribute__((vector_size(16)));
  for (int64_t i = 0; i < bytes; i += 16) {
    Vector of_a, of_b;
    std::memcpy(&of_a, a + i, sizeof of_a);
    std::memcpy(&of_b, b + i, sizeof of_b);
    std::memcpy(a + i, &of_b, sizeof of_b);
    std::memcpy(b + i, &of_a, sizeof of_a);
  }
}

// Two tiles of which one is the other mirrored; rows x cols is the upper one's extent. Where they
// are one, on the diagonal, each pair of elements is met once.
inline void swap_tiles(Byte* upper, Byte* lower, int64_t pitch, int64_t element, int64_t rows,
                       int64_t cols) {
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = upper == lower ? r + 1 : 0; c < cols; ++c)
      swap_elements(upper + r * pitch + c * element, lower + c * pitch + r * element, element);
}

}  // namespace host
