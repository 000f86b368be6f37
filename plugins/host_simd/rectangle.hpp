// What the kernels of every target are asked to do.
#pragma once

#include <cstdint>

namespace host_simd {

// The part rows [row_begin, row_end) x columns [col_begin, col_end) of a matrix. Both sides of the
// matrix are at least one line of elements long. A rectangle that does not begin at a side's begin
// begins at a multiple of a line of elements from it.
struct Rectangle {
  const uint8_t* in;  // element 0 of the matrix
  uint8_t* out;       // element 0 of its transpose
  int64_t in_pitch;   // bytes from one row to the next
  int64_t out_pitch;  // bytes from one output row to the next
  int64_t row_begin, row_end;
  int64_t col_begin, col_end;
};

}  // namespace host_simd
