// The task of a kernel, the same for every target.
#pragma once

#include <algorithm>
#include <cstdint>

namespace host_simd {

// The panels of a matrix with a short side; panels-inl.hpp has them.
enum class Panels { kNone, kDown, kAcross };

// The part rows [row_begin, row_end) x columns [col_begin, col_end) of a matrix. Both sides of the
// matrix are at least one line of elements long. A rectangle that does not begin at a side's begin
// begins at a multiple of a line of elements from it.
struct Rectangle {
  const uint8_t* in;    // element 0 of the matrix
  const uint8_t* next;  // where the share's next rectangle begins, or null
  uint8_t* out;         // element 0 of its transpose
  int64_t in_pitch;     // bytes from one row to the next
  int64_t out_pitch;    // bytes from one output row to the next
  int64_t row_begin, row_end;
  int64_t col_begin, col_end;
  bool stream;  // non-temporal stores of whole lines, or ordinary ones
  // Lines of an output row that are written together: 2 by non-temporal stores, 8 for long_run(),
  // or 1 where they are of bytes and output rows aligned to lines; 4 by ordinary stores, or 0 for
  // straight from registers.
  int gather;
  // The level of the cache, 1 or 2, into which lines are asked for before their turn: of the input
  // by non-temporal stores, of the output by ordinary ones straight from registers. 0: that is left
  // to the processor.
  int ahead;
  // Whether blocks of the input are narrow, so that it is asked for shortly before its turn, or
  // four to eight times as wide; by non-temporal stores.
  bool near;
  // Where output rows are not aligned to lines and stores are non-temporal: the columns that are
  // walked together before the rows below, a multiple of kStripBlock, or 0 for one block of the
  // least; and 64 bytes for each of carried_columns(strip, columns of the rectangle), aligned
  // to 64.
  int64_t strip;
  uint8_t* carry;
  // By non-temporal stores, all of a side at a time: of the rows, or of the columns, where output
  // rows follow each other without gaps. `carry` has panel_bytes() then, aligned likewise.
  Panels panels;
};

// The lines of a long run of an output row. Those of unaligned rows have three staging buffers, of
// which the first level holds few.
constexpr int long_run(int64_t element_bytes, bool is_aligned) {
  return is_aligned && element_bytes < 16 ? 8 : 4;
}

inline constexpr int64_t kStripBlock = 1024;  // columns of a block of a strip

inline int64_t carried_columns(int64_t strip, int64_t cols) {
  return std::min(cols, std::max(strip, kStripBlock) + kStripBlock / 2);
}

// Lines of an output row that a panel down a matrix has: 8 KiB of a strip of tiles.
constexpr int64_t panel_lines(int64_t element_bytes) {
  return std::min<int64_t>(2 * element_bytes, 16);
}

// From one staged column of so many bytes to the next, an odd number of lines: a line goes before
// it.
constexpr int64_t panel_pitch(int64_t bytes) { return 64 * (((bytes + 63) / 64 + 1) | 1); }

// Lines that wait for the next panel.
constexpr int64_t carried_lines(Panels panels, int64_t cols) {
  return panels == Panels::kDown ? cols : 1;
}

// The bytes that panels need: lines that are carried, and two staging buffers.
constexpr int64_t panel_bytes(Panels panels, int64_t rows, int64_t cols, int64_t element_bytes) {
  const int64_t side = 64 / element_bytes;
  const int64_t column =
      panels == Panels::kDown ? 64 * (panel_lines(element_bytes) + 1) : rows * element_bytes;
  return 64 * carried_lines(panels, cols) + 2 * side * panel_pitch(column);
}

}  // namespace host_simd
