// The pairs of blocks of squares, in the order in which they change places.
#pragma once

#include <cstdint>

namespace host_in_place {

// Squares of `side` x `side` elements in one buffer.
struct Squares {
  uint8_t* at;     // element 0 of the first
  int64_t side;    // elements
  int64_t pitch;   // bytes from one row to the next
  int64_t stride;  // bytes from one square to the next
};

// A pair of blocks (row, col) and (col, row), row <= col, of a matrix; pairs are counted along the
// rows of blocks.
struct Pair {
  int64_t matrix, row, col;

  // The index-th pair of matrices of so many blocks a side.
  static Pair at(int64_t index, int64_t blocks) {
    const int64_t pairs = blocks * (blocks + 1) / 2;
    Pair pair{index / pairs, 0, 0};
    int64_t rest = index % pairs;
    while (rest >= blocks - pair.row) rest -= blocks - pair.row++;
    pair.col = pair.row + rest;
    return pair;
  }
  Pair next(int64_t blocks) const {
    if (col + 1 < blocks) return {matrix, row, col + 1};
    if (row + 1 < blocks) return {matrix, row + 1, row + 1};
    return {matrix + 1, 0, 0};
  }
};

// Blocks a side of a square, each `run` bytes wide.
inline int64_t blocks_of(int64_t side, int64_t element_bytes, int64_t run) {
  return (side * element_bytes + run - 1) / run;
}

}  // namespace host_in_place
