// The blocks of a rectangle, in the order in which they are walked.
#pragma once

#include <algorithm>
#include <cstdint>

#include "../kit/host/ceil_div.hpp"
#include "rectangle.hpp"

namespace host_simd {

struct Block {
  int64_t row, rows, col, cols;
  int64_t strip;  // its strip's first column
};

// Blocks of `rows` x `cols` elements, the last rows fewer, the last columns up to half as many more
// or fewer: a narrow block alone is too short a time to ask memory for the next. Blocks follow each
// other along the rows of a strip of `strip` blocks, then below each other, then strip by strip;
// strip 0: along whole rows.
class Blocks {
 public:
  Blocks(const Rectangle& r, int64_t rows, int64_t cols, int64_t strip)
      : r_(r),
        rows_(rows),
        cols_(cols),
        across_(std::max<int64_t>((r.col_end - r.col_begin + cols / 2) / cols, 1)),
        down_(host::ceil_div(r.row_end - r.row_begin, rows)),
        strip_(strip) {}

  int64_t count() const { return across_ * down_; }

  Block operator[](int64_t i) const {
    int64_t first = 0, wide = across_;  // blocks of the strip
    if (strip_ != 0) {
      first = i / (strip_ * down_) * strip_;
      wide = std::min(strip_, across_ - first);
      i -= first * down_;
    }
    const int64_t row = r_.row_begin + i / wide * rows_, at = first + i % wide;
    const int64_t col = r_.col_begin + at * cols_;
    return {row, std::min(rows_, r_.row_end - row), col,
            at == across_ - 1 ? r_.col_end - col : cols_, r_.col_begin + first * cols_};
  }

 private:
  const Rectangle& r_;
  int64_t rows_, cols_;
  int64_t across_, down_;
  int64_t strip_;
};

}  // namespace host_simd
