// The same exchange for rows that begin anywhere (unaligned_tile.cuh), by the aligned words that
// lie in a tile's part of a row and the bytes at its ends, so that nothing of another tile is
// touched. Where rows begin in a word, which rows kPack apart have in common, is shifted away when
// columns of packed elements are read, and where an output row begins is shifted in when it is
// written; in between 4x4 or 2x2 elements are transposed in registers.
//
// A sector that two tiles share is written twice, each time in part, which costs L2 more than
// twice. So runs are long, even where the tiles of a pair must then be staged one after the other.
// A warp's turns begin at lines, so that no sector is written by two turns. Packed elements are the
// exception: there such turns take more shuffles than they save.
#pragma once

#include <cstdint>
#include <xpose/cuda.hpp>

#include "../kit/cuda/tile_pair.cuh"
#include "swap_vectors.cuh"
#include "unaligned_tile.cuh"

namespace xpose::kernels {

// Writes columns of the staged elements as rows of the tile across the diagonal. Where a row takes
// several turns of a warp, they begin at multiples of a line.
template <class Tile, bool Inside>
__device__ __forceinline__ void write_elements(const typename Tile::Word* staged,
                                               const PlacedTile& out) {
  using Word = typename Tile::Word;
  constexpr int kLine = 128, kTurns = Tile::kChunks > 1 ? Tile::kChunks + 1 : 1;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
  for (int n = 0; n < Tile::kSide / Tile::kWarps; ++n) {
    const int row = warp + n * Tile::kWarps;
    if (!Inside && row >= out.rows) break;
    Word* const to = reinterpret_cast<Word*>(out.at + row * out.pitch);
    const int first =
        kTurns == 1
            ? lane
            : lane - static_cast<int>(reinterpret_cast<uintptr_t>(to) % kLine) / Tile::kWordBytes;
#pragma unroll
    for (int turn = 0; turn < kTurns; ++turn) {
      const int col = first + 32 * turn;
      if (col >= 0 && col < (Inside ? Tile::kSide : out.cols))
        to[col] = staged[col * Tile::kPitch + row];
    }
  }
}

// Transposes kPack words of as many rows: word i is row i before, and column i after.
template <int Bytes, class Word, int Pack>
__device__ __forceinline__ void transpose_packed(Word (&word)[Pack]) {
  if constexpr (Bytes == 1) {
    transpose_bytes(word);
  } else {
    const uint32_t low = __byte_perm(word[0], word[1], 0x5410);
    word[1] = __byte_perm(word[0], word[1], 0x7632);
    word[0] = low;
  }
}

// The same by packed words: one of the columns of words of `in` at a time, kPack rows of `out`.
template <class Tile, bool Inside>
__device__ __forceinline__ void write_packed(const PlacedTile& in,
                                             const typename Tile::Word* staged,
                                             const PlacedTile& out) {
  using Word = typename Tile::Word;
  constexpr int kPack = Tile::kPack, kChunks = Tile::kChunks;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int bytes = out.cols * Tile::kBytes;
#pragma unroll
  for (int n = 0; n < Tile::kWords / Tile::kWarps; ++n) {
    const int column = warp + n * Tile::kWarps;
    Word word[kChunks][kPack];
#pragma unroll
    for (int chunk = 0; chunk < kChunks; ++chunk) {
#pragma unroll
      for (int i = 0; i < kPack; ++i) {
        const Word* const at = staged + Tile::row_at((lane + 32 * chunk) * kPack + i) + column;
        word[chunk][i] = __funnelshift_r(at[0], at[1], 8 * Tile::misaligned(in.at + i * in.pitch));
      }
      transpose_packed<Tile::kBytes>(word[chunk]);
    }
#pragma unroll
    for (int i = 0; i < kPack; ++i) {
      const int row = column * kPack + i;
      if (!Inside && row >= out.rows) break;
      unsigned char* const start = out.at + row * out.pitch;
      const int misaligned = Tile::misaligned(start);
      unsigned char* const words = start - misaligned;
      Word head = 0;
#pragma unroll
      for (int chunk = 0; chunk < kChunks; ++chunk) {
        const int index = lane + 32 * chunk;
        const Word last = word[chunk > 0 ? chunk - 1 : 0][i];  // of the chunk before, in lane 31
        const Word before = __shfl_sync(
            0xffffffffu, lane == 31 && chunk > 0 ? last : word[chunk][i], (lane + 31) % 32);
        const Word shifted = __funnelshift_l(before, word[chunk][i], 8 * misaligned);
        if (chunk == 0) head = __shfl_sync(0xffffffffu, shifted, 0);
        if (is_whole<Tile, Inside>(index, misaligned, bytes))
          reinterpret_cast<Word*>(words)[index] = shifted;
        else if constexpr (!Inside)
          for_each_byte<Tile>(index, misaligned, bytes, [&](int at, int bit) {
            words[at] = static_cast<unsigned char>(shifted >> bit);
          });
      }
      const Word last = __shfl_sync(0xffffffffu, word[kChunks - 1][i], 31);
      if (has_end<Tile, Inside>(misaligned, bytes)) {
        const Word end = lane < misaligned ? last >> 8 * (Tile::kWordBytes - misaligned) : head;
        words[end_of_row<Tile>(misaligned)] = static_cast<unsigned char>(end >> 8 * lane);
      }
    }
  }
}

template <class Tile, bool Inside>
__device__ __forceinline__ void write_rows(const PlacedTile& in, const typename Tile::Word* staged,
                                           const PlacedTile& out) {
  if constexpr (Tile::kPack == 1)
    write_elements<Tile, Inside>(staged, out);
  else
    write_packed<Tile, Inside>(in, staged, out);
}

template <class Tile, bool Inside>
__device__ __forceinline__ void swap_tiles(const PlacedTile& upper, const PlacedTile& lower,
                                           bool on_diagonal) {
  auto* const staged = plugin::shared_memory<typename Tile::Word>();
  HeldRows<Tile> held_upper, held_lower;
  read_rows<Tile, Inside>(upper, held_upper);
  if (!on_diagonal) read_rows<Tile, Inside>(lower, held_lower);
  stage_rows<Tile, Inside>(upper, held_upper, staged);
  if constexpr (Tile::kBothStaged) {
    if (!on_diagonal) stage_rows<Tile, Inside>(lower, held_lower, staged + Tile::kTileWords);
    __syncthreads();
    write_rows<Tile, Inside>(upper, staged, lower);
    if (!on_diagonal) write_rows<Tile, Inside>(lower, staged + Tile::kTileWords, upper);
  } else {
    __syncthreads();
    write_rows<Tile, Inside>(upper, staged, lower);
    if (on_diagonal) return;
    __syncthreads();
    stage_rows<Tile, Inside>(lower, held_lower, staged);
    __syncthreads();
    write_rows<Tile, Inside>(lower, staged, upper);
  }
}

// data is the first matrix; pitch and stride in bytes. Dynamic shared memory: Tile::kSharedBytes.
template <class Tile, int ResidentBlocks>
__global__ __launch_bounds__(Tile::kThreads,
                             ResidentBlocks) void swap_unaligned(unsigned char* data, int side,
                                                                 int64_t pitch, int64_t stride) {
  const TilePair pair = tile_pair(blockIdx.x);
  data += blockIdx.z * stride;
  const int row = pair.row * Tile::kSide, col = pair.col * Tile::kSide;
  const int rows = min(Tile::kSide, side - row), cols = min(Tile::kSide, side - col);
  const PlacedTile upper = {data + row * pitch + int64_t{col} * Tile::kBytes, pitch, rows, cols};
  const PlacedTile lower = {data + col * pitch + int64_t{row} * Tile::kBytes, pitch, cols, rows};
  if (cols == Tile::kSide)  // the upper tile's rows come first
    swap_tiles<Tile, true>(upper, lower, row == col);
  else
    swap_tiles<Tile, false>(upper, lower, row == col);
}

}  // namespace xpose::kernels
