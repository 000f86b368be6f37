// In place, tiles across the diagonal change places element by element. An element was read just
// before it is written, so its lines are in the cache, and no buffer and no store that bypasses it
// is needed.
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

// A tile and the one across the diagonal from it.
struct TilePair {
  Byte *upper, *lower;
  int64_t rows, cols;  // of the upper one, in elements
};

// A pair of tiles change places. Where they are one, on the diagonal, each pair of elements is met
// once. Meanwhile a later pair is asked for row by row, into the second-level cache: the first
// level of many processors has few fill buffers, and a prefetch into it occupies one until memory
// answers.
template <int64_t Bytes>
void swap_tiles(const TilePair& pair, const TilePair& later, int64_t pitch) {
  const auto ask_for_row = [&](const Byte* tile, int64_t row, int64_t elements) {
    for (int64_t at = 0; at < elements * Bytes; at += kLineBytes)
      __builtin_prefetch(tile + row * pitch + at, 0, 2);
  };
  const bool diagonal = pair.upper == pair.lower;
  for (int64_t r = 0; r < std::max(pair.rows, pair.cols); ++r) {
    if (r < later.rows) ask_for_row(later.upper, r, later.cols);
    if (r < later.cols) ask_for_row(later.lower, r, later.rows);
    if (r < pair.rows)
      for (int64_t c = diagonal ? r + 1 : 0; c < pair.cols; ++c)
        swap_elements<Bytes>(pair.upper + r * pitch + c * Bytes,
                             pair.lower + c * pitch + r * Bytes);
  }
}

}  // namespace host
