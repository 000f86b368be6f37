// The task of a kernel, the same for every target.
#pragma once

#include <cstdint>

namespace host_skinny {

enum class Form {
  kDeinterleave,  // rows of at most a line, many of them
  kInterleave,    // the transpose of that: few rows, longer than a line
  kSmall,         // matrices of at most kSmallBytes, with sides of any length
};

inline constexpr int64_t kSmallBytes = 8192;

// Matrices or a part of one: columns for kInterleave, rows for kDeinterleave. Sides in elements,
// everything else in bytes.
struct Job {
  const uint8_t* in;  // element 0 of the first matrix
  uint8_t* out;       // element 0 of its transpose
  int64_t rows, cols;
  int64_t in_pitch, out_pitch;  // from one row to the next
  int64_t matrices;
  int64_t in_step, out_step;  // from one matrix to the next
  Form form;
  bool streams;  // whole lines by non-temporal stores
  int ahead;     // the level of the cache, 1 or 2, into which input is asked for before its turn
};

}  // namespace host_skinny
