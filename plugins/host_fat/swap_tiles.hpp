// In place, tiles across the diagonal change places element by element: what is written was just
// read, so its lines are in the cache, and no buffer and no store that bypasses it is needed.
#pragma once

#include "fat_tile.hpp"

namespace host {

// Any addresses.
template <int64_t Bytes>
void swap_elements(Byte* a, Byte* b) {
  using Vector = Byte __attribute__((vector_size(16)));
  for_each_vector<Bytes>([&](int64_t at) {
    Vector of_a, of_b;
    std::memcpy(&of_a, a + at, sizeof of_a);
    std::memcpy(&of_b, b + at, sizeof of_b);
    std::memcpy(a + at, &of_b, sizeof of_b);
    std::memcpy(b + at, &of_a, sizeof of_a);
  });
}

// Two tiles of which one is the other mirrored; rows x cols is the upper one's extent. Where they
// are one, on the diagonal, each pair of elements is met once.
template <int64_t Bytes>
void swap_tiles(Byte* upper, Byte* lower, int64_t pitch, int64_t rows, int64_t cols) {
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = upper == lower ? r + 1 : 0; c < cols; ++c)
      swap_elements<Bytes>(upper + r * pitch + c * Bytes, lower + c * pitch + r * Bytes);
}

}  // namespace host
