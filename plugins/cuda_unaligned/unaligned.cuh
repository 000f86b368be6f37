// A tile whose rows begin at any element, on both sides, without a scalar path. Loads: a warp reads
// the aligned 8-byte pieces that cover its part of an input row and shifts neighbouring words into
// place (the shift is the row's); blocks of 4x4 bytes or 2x2 halfwords are transposed in registers,
// and words of output rows are staged. Stores: a block owns the aligned sectors that begin in its
// piece of an output row, so that no sector is written by two blocks and every store is an aligned
// vector of 16 bytes; the rows this needs above the tile were just read by the block beside it and
// come from L2. Aligned accesses and shifts are how vectorizing compilers treat unaligned streams
// (Eichenberger, Wu, O'Brien, "Vectorization for SIMD architectures with alignment constraints",
// 2004); owning sectors of the output is this project's. Packed elements are loaded 8 bytes at a
// time, because wider loads ask L2 less often.
#pragma once

#include <cstdint>

#include "../kit/cuda/between_rows.cuh"
#include "load_tile.cuh"

namespace xpose::kernels {

// A matrix whose rows begin at any element; pitch in bytes.
struct OutputRows {
  unsigned char* matrix;
  int rows, cols;  // of the input
  int64_t pitch;
};

template <class Tile, bool Inside>
__device__ __forceinline__ void write_tile(const OutputRows& out, int first_row, int first_col,
                                           const typename Tile::Word* staged) {
  using Word = typename Tile::Word;
  constexpr int kPack = Tile::kPack, kWords = Tile::kVectorWords, kVectors = Tile::kVectors;
  const int vector = threadIdx.x % kVectors;  // of the output row
  const int col = Tile::column(threadIdx.x / kVectors);

  // The columns of a thread are whole sectors of elements apart, so that their output rows are
  // misaligned alike, whatever the pitch.
  unsigned char* const start =
      out.matrix + (first_col + col) * out.pitch + int64_t{first_row} * Tile::kBytes;
  const int misaligned = static_cast<int>(reinterpret_cast<uintptr_t>(start) % kSectorBytes);
  const int row = first_row - misaligned / Tile::kBytes + vector * Tile::kVectorRows;
  unsigned char* const first = start - misaligned + vector * kVectorBytes;

  const int skipped = Tile::kHalo - misaligned / Tile::kBytes;  // staged rows
  const int group = skipped / kPack;
  const unsigned shift = 8 * Tile::kBytes * (skipped % kPack);
  const Word* word_of[kWords + 1];
#pragma unroll
  for (int i = 0; i <= kWords;
       ++i)  // without a shift the last is not needed, and not always staged
    word_of[i] = staged + Tile::column_at(col) + vector +
                 Tile::group_at(group + i - (i == kWords && shift == 0 ? 1 : 0));

#pragma unroll
  for (int turn = 0; turn < Tile::kWidth / Tile::kStep; ++turn) {
    const int ahead = Tile::turn_column(turn);
    if (!Inside && first_col + col + ahead >= out.cols) break;
    if (kPack > 1 && col + ahead >= Tile::kCols) break;
    Word word[kWords + 1];
#pragma unroll
    for (int i = 0; i < kWords; ++i) word[i] = word_of[i][Tile::column_at(ahead)];
    if constexpr (kPack > 1) {
      word[kWords] = word_of[kWords][Tile::column_at(ahead)];
#pragma unroll
      for (int i = 0; i < kWords; ++i) word[i] = __funnelshift_r(word[i], word[i + 1], shift);
    }
    unsigned char* const at = first + ahead * out.pitch;
    if (Inside || (row >= 0 && row + Tile::kVectorRows <= out.rows)) {
      store_words<kWords>(at, word);
    } else {  // whole words as far as possible
#pragma unroll
      for (int i = 0; i < kWords; ++i) {
        const int first_of_word = row + i * kPack;
        if (first_of_word >= 0 && first_of_word + kPack <= out.rows) {
          store_words<1>(at + i * Tile::kWordBytes, word + i);
          continue;
        }
#pragma unroll
        for (int k = 0; k < kPack; ++k)
          if (first_of_word + k >= 0 && first_of_word + k < out.rows)
            store_element<Tile::kBytes>(at + i * Tile::kWordBytes + k * Tile::kBytes, word[i], k);
      }
    }
  }
}

// One block of Threads a tile: x over Rows input rows and kHalo - 1 behind the last, so that blocks
// that run together write along output rows; y over kCols columns; z over the batch or, of matrices
// that go together, x. Pitches and strides in bytes, in and out multiples of Bytes. ahead: bring
// whole 256-byte blocks of the input into L2. Dynamic shared memory: Tile::kSharedBytes.
template <class Tile, int ResidentThreads>
__global__ __launch_bounds__(Tile::kThreads, ResidentThreads / Tile::kThreads) void unaligned(
    const unsigned char* __restrict__ in, unsigned char* __restrict__ out, int rows, int cols,
    int64_t in_pitch, int64_t out_pitch, int64_t in_stride, int64_t out_stride, uint32_t together,
    bool ahead) {
  auto* const staged = plugin::shared_memory<typename Tile::Word>();
  const plugin::BlockOfBatch block(together);
  const InputRows from = {in + block.matrix * in_stride, rows, cols, in_pitch};
  const OutputRows to = {out + block.matrix * out_stride, rows, cols, out_pitch};
  const int row = block.x * Tile::kRows, col = blockIdx.y * Tile::kCols;
  constexpr int kAround = Tile::kLoadBytes / Tile::kBytes;  // columns that loads may touch
  const bool inside = row >= Tile::kHalo && row + Tile::kRows <= rows && col >= kAround &&
                      col + Tile::kWidth + kAround <= cols;
  if (inside && ahead)
    load_tile<Tile, true, true>(from, row - Tile::kHalo, col, staged);
  else if (inside)
    load_tile<Tile, true, false>(from, row - Tile::kHalo, col, staged);
  else
    load_tile<Tile, false, false>(from, row - Tile::kHalo, col, staged);
  __syncthreads();
  if (!inside && has_row_ends<Tile>(from, row - Tile::kHalo, col)) {
    stage_row_ends<Tile>(from, row - Tile::kHalo, col, staged);
    __syncthreads();
  }
  if (inside)
    write_tile<Tile, true>(to, row, col, staged);
  else
    write_tile<Tile, false>(to, row, col, staged);
}

}  // namespace xpose::kernels
