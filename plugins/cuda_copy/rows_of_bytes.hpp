// A copy as rows of bytes: a dense one is a single long row.
#pragma once

#include <cstdint>
#include <xpose/plugin.hpp>

namespace xpose::plugin {

struct RowsOfBytes {
  explicit RowsOfBytes(const Problem& problem)
      : rows(problem.rows),
        row_bytes(problem.cols * problem.element_bytes),
        in_pitch(problem.in_ld * problem.element_bytes),
        out_pitch(problem.out_ld * problem.element_bytes) {
    if (rows > 1 && in_pitch == row_bytes && out_pitch == row_bytes) {
      row_bytes *= rows;
      rows = 1;
    }
  }

  // The widest word, at most 16 bytes, that the addresses of every row allow.
  int64_t word_bytes(const void* in, const void* out) const {
    uint64_t bits = 16 | reinterpret_cast<uintptr_t>(in) | reinterpret_cast<uintptr_t>(out);
    if (rows > 1) bits |= static_cast<uint64_t>(in_pitch) | static_cast<uint64_t>(out_pitch);
    return static_cast<int64_t>(bits & -bits);
  }

  int64_t rows;
  int64_t row_bytes;
  int64_t in_pitch;   // bytes
  int64_t out_pitch;  // bytes
};

}  // namespace xpose::plugin
