// The pairs of blocks of square matrices, in the order in which they change places.
#pragma once

#include <cstdint>

namespace host {

// A pair of blocks (row, col) and (col, row), row <= col, of a matrix.
struct Pair {
  int64_t matrix, row, col;
};

// In which order pairs follow each other.
enum class Order {
  kRows,   // along a row of blocks, before the row below
  kTwins,  // along two rows of blocks, from one to the other at every step, then the pairs left out
};

// The pairs of matrices of `blocks` blocks a side. kTwins: where rows are a power of two apart, the
// lines of a column of blocks share a few sets of the second-level cache, and the lines that a pair
// asks for push out those that the pair before it has yet to write. So two pairs in turn share no
// column.
class Pairs {
 public:
  Pairs(int64_t blocks, Order order) : blocks_(blocks), twins_(order == Order::kTwins) {}

  int64_t of_a_matrix() const { return blocks_ * (blocks_ + 1) / 2; }

  Pair operator[](int64_t index) const {
    const int64_t pairs = of_a_matrix();
    Pair pair{index / pairs, 0, 0};
    int64_t rest = index % pairs;
    const int64_t rows = twins_ ? 2 : 1;
    const auto of_these_rows = [&] { return rows * (blocks_ - pair.row) - (twins_ ? 1 : 0); };
    for (; rest >= of_these_rows(); pair.row += rows) rest -= of_these_rows();
    pair.col = pair.row + rest;
    if (pair.col >= blocks_) {  // the second time along twins
      pair.col += pair.row + 1 - blocks_;
      pair.row += (pair.col + 1) % 2;
    } else if (twins_) {
      pair.row += pair.col % 2;
    }
    return pair;
  }

  Pair after(const Pair& pair) const {
    const auto [matrix, row, col] = pair;
    if (col + 1 < blocks_) return {matrix, twins_ ? row ^ 1 : row, col + 1};
    const int64_t first = twins_ ? row - row % 2 : row;
    if (twins_ && row % 2 == col % 2 && first + 1 < blocks_) return {matrix, first, first + 1};
    const int64_t below = first + (twins_ ? 2 : 1);
    if (below < blocks_) return {matrix, below, below};
    return {matrix + 1, 0, 0};
  }

 private:
  int64_t blocks_;
  bool twins_;
};

}  // namespace host
