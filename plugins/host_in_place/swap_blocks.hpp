// Two blocks that lie across the diagonal change places, each transposed.
#pragma once

#include <algorithm>

#include "granule.hpp"

namespace host {

// A block of rows x cols elements at `at`; from one row to the next it is `pitch` bytes.
struct Block {
  Byte* at;
  int64_t rows;
  int64_t cols;
};

// Asks for the rows [first, first + count) of a block, by whole lines, into the second level: the
// first has the buffers.
template <int Bytes>
void prefetch_rows(const Block& block, int64_t pitch, int64_t first, int64_t count) {
  for (int64_t r = first; r < std::min(first + count, block.rows); ++r)
    for (int64_t byte = 0; byte < block.cols * Bytes; byte += 64)
      __builtin_prefetch(block.at + r * pitch + byte, 1, 2);
}

// out becomes the transpose of a rows x cols block; `ahead` is what is worked on next.
template <int Bytes>
void transpose_block(const Byte* in, int64_t in_pitch, Byte* out, int64_t out_pitch, int64_t rows,
                     int64_t cols, const Block& ahead) {
  constexpr int64_t kSide = Granule<Bytes>::kSide;
  const int64_t whole_rows = rows / kSide * kSide, whole_cols = cols / kSide * kSide;
  for (int64_t r = 0; r < whole_rows; r += kSide) {
    prefetch_rows<Bytes>(ahead, in_pitch, r, kSide);
    for (int64_t c = 0; c < whole_cols; c += kSide)
      Granule<Bytes>::transpose(in + r * in_pitch + c * Bytes, in_pitch,
                                out + c * out_pitch + r * Bytes, out_pitch);
  }
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = r < whole_rows ? whole_cols : 0; c < cols; ++c)
      std::memcpy(out + c * out_pitch + r * Bytes, in + r * in_pitch + c * Bytes, Bytes);
}

inline void copy_rows(const Byte* in, int64_t in_pitch, Byte* out, int64_t out_pitch, int64_t rows,
                      int64_t row_bytes) {
  for (int64_t r = 0; r < rows; ++r)
    std::memcpy(out + r * out_pitch, in + r * in_pitch, static_cast<size_t>(row_bytes));
}

// Both blocks go through buffers of Side bytes a row, so that rows of the matrix are read and
// written in whole runs: at a power-of-two leading dimension the lines of a column share a few
// cache sets, and what is left half written there is lost before its other half comes.
template <int Bytes, int RunBytes>
struct SwapBlocks {
  static constexpr int64_t kSide = RunBytes / Bytes;  // elements

  void swap(const Block& upper, const Block& lower, const Block& next_upper,
            const Block& next_lower, int64_t pitch) {
    transpose_block<Bytes>(upper.at, pitch, first_, RunBytes, upper.rows, upper.cols, next_upper);
    transpose_block<Bytes>(lower.at, pitch, second_, RunBytes, lower.rows, lower.cols, next_lower);
    copy_rows(second_, RunBytes, upper.at, pitch, upper.rows, upper.cols * Bytes);
    copy_rows(first_, RunBytes, lower.at, pitch, lower.rows, lower.cols * Bytes);
  }

  void transpose(const Block& diagonal, const Block& next, int64_t pitch) {
    transpose_block<Bytes>(diagonal.at, pitch, first_, RunBytes, diagonal.rows, diagonal.cols,
                           next);
    copy_rows(first_, RunBytes, diagonal.at, pitch, diagonal.rows, diagonal.cols * Bytes);
  }

 private:
  alignas(64) Byte first_[kSide * RunBytes];
  alignas(64) Byte second_[kSide * RunBytes];
};

}  // namespace host
