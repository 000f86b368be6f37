// The first half of the kernel: rows of the input as they lie, into shared memory, by copies that
// do not wait.
#pragma once

#include <cstdint>

#include "../kit/cuda/copy_later.cuh"
#include "lanes_tile.hpp"

namespace xpose::kernels {

template <int Multiple>
__device__ __forceinline__ int past(const unsigned char* at) {
  return static_cast<int>(reinterpret_cast<uintptr_t>(at) % Multiple);
}

// Memory that loads may touch: a dense matrix, or a row with gaps around it.
struct Readable {
  const unsigned char *from, *until;
};

// Copies a load, or those words of it that may be read.
template <int Load>
__device__ __forceinline__ void copy_readable(unsigned char* to, const unsigned char* from,
                                              const Readable& may) {
  if (from >= may.from && from + Load <= may.until) {
    copy_later<Load>(to, from);
  } else if constexpr (Load > kWordBytes) {
#pragma unroll
    for (int i = 0; i < Load; i += kWordBytes)
      if (from + i >= may.from && from + i + kWordBytes <= may.until)
        copy_later<kWordBytes>(to + i, from + i);
  }
}

// Copies the elements of a row's first or last word, [begin, end) being the row, where the word may
// not be read as a whole; the rest of it becomes 0. `to` is the place of the row's first element.
template <int Bytes>
__device__ __forceinline__ void copy_row_end(unsigned char* to, const unsigned char* begin,
                                             const unsigned char* end, bool last,
                                             const Readable& may) {
  using Raw = plugin::Element<Bytes>;
  constexpr int kPack = kWordBytes / Bytes;
  const unsigned char* const head = begin - past<kWordBytes>(begin);
  const unsigned char* const tail = end - Bytes - past<kWordBytes>(end - Bytes);
  const unsigned char* const word = last ? tail : head;
  const bool is_done = last && tail == head;  // with the first
  if (is_done || (word >= may.from && word + kWordBytes <= may.until)) return;
  uint32_t packed = 0;
#pragma unroll
  for (int i = 0; i < kPack; ++i)
    if (const unsigned char* const at = word + i * Bytes; at >= begin && at < end)
      packed |= static_cast<uint32_t>(reinterpret_cast<const Raw*>(at)->words[0]) << 8 * Bytes * i;
  *reinterpret_cast<uint32_t*>(to + (word - begin)) = packed;
}

// The part of a matrix that a block loads: `width` columns of its staged rows. The first of these
// may lie above the matrix, and the last ones below.
struct StagedRows {
  const unsigned char *matrix, *matrix_end;  // [begin, end)
  const unsigned char* first;                // element of the first staged row, wherever it lies
  int begin, end;                            // staged rows that are in the matrix
  int col, width;
};

// Rows without gaps, as wide as the matrix: one run of 16-byte loads. `tile` is where the first
// staged element would lie.
template <int Bytes>
__device__ __forceinline__ void load_run(const StagedRows& rows, int64_t pitch,
                                         unsigned char* tile) {
  const Readable may = {rows.matrix, rows.matrix_end};
  const unsigned char* const begin = rows.first + rows.begin * pitch;
  const unsigned char* const end = rows.first + rows.end * pitch;
  unsigned char* const to = tile + rows.begin * static_cast<int>(pitch);
  const int bytes = static_cast<int>(end - begin), ahead = past<16>(begin);
  const bool is_clean = begin - ahead >= may.from && end + 15 <= may.until;
  if (is_clean) {
#pragma unroll 4
    for (int i = 16 * threadIdx.x - ahead; i < bytes; i += 16 * blockDim.x)
      copy_later<16>(to + i, begin + i);
  } else {
#pragma unroll 1
    for (int i = 16 * threadIdx.x - ahead; i < bytes; i += 16 * blockDim.x)
      copy_readable<16>(to + i, begin + i, may);
    if (threadIdx.x < 2) copy_row_end<Bytes>(to, begin, end, threadIdx.x != 0, may);
  }
}

// Rows one by one: 2^lanes_log2 threads have the loads of a row, the next ones those of the next.
template <int Bytes, int Load>
__device__ __forceinline__ void load_rows(const StagedRows& rows, int64_t pitch, int cols,
                                          const LanesTile& in, unsigned char* tile) {
  constexpr int kPack = kWordBytes / Bytes;
  const int bytes = rows.width * Bytes;
  const auto place = [&](int row) {
    return tile + row / kPack * in.group_pitch + row % kPack * in.row_pitch;
  };
  const auto readable = [&](const unsigned char* row) {
    if (in.dense) return Readable{rows.matrix, rows.matrix_end};
    row -= int64_t{rows.col} * Bytes;
    return Readable{row, row + int64_t{cols} * Bytes};
  };
  const bool is_clean =
      in.dense
          ? rows.first + rows.begin * pitch - Load >= rows.matrix &&
                rows.first + (rows.end - 1) * pitch + bytes + Load <= rows.matrix_end
          : rows.col * Bytes >= Load && (cols - rows.col - rows.width) * int64_t{Bytes} >= Load;
  const int of_row = Load * static_cast<int>(threadIdx.x & ((1u << in.lanes_log2) - 1));
  const int step = static_cast<int>(blockDim.x >> in.lanes_log2);  // a multiple of kPack
  int row = static_cast<int>(threadIdx.x >> in.lanes_log2);
  const unsigned char* from = rows.first + row * pitch;
  unsigned char* to = place(row);
  const int64_t from_step = step * pitch;
  const int to_step = step / kPack * in.group_pitch;
  if (is_clean) {
#pragma unroll 4
    for (; row < rows.end; row += step, from += from_step, to += to_step) {
      const int at = of_row - past<Load>(from);
      if (row >= rows.begin && at < bytes) copy_later<Load>(to + at, from + at);
    }
    return;
  }
#pragma unroll 1
  for (; row < rows.end; row += step, from += from_step, to += to_step) {
    const int at = of_row - past<Load>(from);
    if (row >= rows.begin && at < bytes) copy_readable<Load>(to + at, from + at, readable(from));
  }
  for (int i = threadIdx.x; i < 2 * (rows.end - rows.begin); i += blockDim.x) {
    row = rows.begin + i / 2;
    from = rows.first + row * pitch;
    copy_row_end<Bytes>(place(row), from, from + bytes, i % 2 != 0, readable(from));
  }
}

}  // namespace xpose::kernels
