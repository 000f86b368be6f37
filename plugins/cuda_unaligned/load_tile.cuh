// The first half of the kernel: rows at any element, by aligned words and shifts, into shared
// memory.
#pragma once

#include <cstdint>

#include "staged_tile.cuh"

namespace xpose::kernels {

// A matrix whose rows begin at any element; pitch in bytes.
struct InputRows {
  const unsigned char* matrix;
  int rows, cols;
  int64_t pitch;
};

// The words of a thread: lane l of warp w has the words l + 32 chunk of the rows of group
// w + kWarps turn; and, of kPack lanes, the word behind the last chunk of one row each.
template <class Tile>
struct LoadedWords {
  using Word = typename Tile::Word;
  static constexpr int kTurns = (Tile::kGroups + Tile::kWarps - 1) / Tile::kWarps;
  Word word[kTurns][Tile::kPack][Tile::kChunks];
  Word behind[kTurns];
};

template <class Tile>
__device__ __forceinline__ bool has_turn(int turn, int warp) {
  return (turn + 1) * Tile::kWarps <= Tile::kGroups || warp + turn * Tile::kWarps < Tile::kGroups;
}

// Loads a lane's words of one row: `start` is the address of the tile's first element in it, or of
// the element that would be there. All of them are in flight at once.
template <class Tile, bool Inside, int Count>
__device__ __forceinline__ void load_row(const InputRows& in, const unsigned char* start, int row,
                                         int first_col, int first_word,
                                         typename Tile::Word (&word)[Count]) {
  using Word = typename Tile::Word;
  const unsigned char* const at =
      start - reinterpret_cast<uintptr_t>(start) % Tile::kWordBytes + first_word * Tile::kWordBytes;
  if constexpr (Inside) {
#pragma unroll
    for (int i = 0; i < Count; ++i)
      word[i] = *reinterpret_cast<const Word*>(at + i * 32 * Tile::kWordBytes);
  } else if (row >= 0 && row < in.rows) {
    const bool dense = in.pitch == int64_t{in.cols} * Tile::kBytes;
    Readable may;
    may.begin = start - int64_t{first_col} * Tile::kBytes;
    may.end = may.begin + int64_t{in.cols} * Tile::kBytes;
    may.words_begin = dense ? in.matrix : may.begin;
    may.words_end = dense ? in.matrix + in.rows * in.pitch : may.end;
#pragma unroll
    for (int i = 0; i < Count; ++i)
      if (at + i * 32 * Tile::kWordBytes < may.end)
        word[i] = load_edge_word<Tile::kBytes, Word>(at + i * 32 * Tile::kWordBytes, may);
  }
}

// first_row may be negative; what is outside of the matrix is not loaded. Inside: the staged rows
// and the words around the tile's columns lie in the matrix.
template <class Tile, bool Inside>
__device__ __forceinline__ void load_tile(const InputRows& in, int first_row, int first_col,
                                          typename Tile::Word* staged) {
  using Word = typename Tile::Word;
  constexpr int kTurns = LoadedWords<Tile>::kTurns, kPack = Tile::kPack, kLast = Tile::kChunks - 1;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int warp_row = first_row + warp * kPack;
  const unsigned char* const warp_start =
      in.matrix + warp_row * in.pitch + int64_t{first_col} * Tile::kBytes;
  const int64_t turn_pitch = in.pitch * (kPack * Tile::kWarps);

  LoadedWords<Tile> loaded;
  const unsigned char* start = warp_start;
#pragma unroll
  for (int turn = 0; turn < kTurns; ++turn, start += turn_pitch) {
    if (!has_turn<Tile>(turn, warp)) continue;
    const int row = warp_row + turn * (kPack * Tile::kWarps);
#pragma unroll
    for (int i = 0; i < kPack; ++i)
      load_row<Tile, Inside>(in, start + i * in.pitch, row + i, first_col, lane,
                             loaded.word[turn][i]);
    if constexpr (kPack > 1) {
      const unsigned char* const mine = start + lane * in.pitch;
      if (lane < kPack && reinterpret_cast<uintptr_t>(mine) % Tile::kWordBytes != 0) {
        Word behind[1] = {};
        load_row<Tile, Inside>(in, mine, row + lane, first_col, Tile::kRowWords, behind);
        loaded.behind[turn] = behind[0];
      }
    }
  }

#pragma unroll
  for (int turn = 0; turn < kTurns; ++turn) {
    const int group = warp + turn * Tile::kWarps;
    if (!has_turn<Tile>(turn, warp)) continue;
#pragma unroll
    for (int chunk = 0; chunk <= kLast; ++chunk) {
      Word word[kPack];
#pragma unroll
      for (int i = 0; i < kPack; ++i) {
        word[i] = loaded.word[turn][i][chunk];
        if constexpr (kPack > 1) {
          const bool gives_next = chunk < kLast && lane == 0;
          Word next = __shfl_sync(
              0xffffffffu,
              gives_next ? loaded.word[turn][i][chunk < kLast ? chunk + 1 : kLast] : word[i],
              (lane + 1) % 32);
          if (chunk == kLast) {
            const Word behind = __shfl_sync(0xffffffffu, loaded.behind[turn], i);
            if (lane == 31) next = behind;
          }
          // Modulo 32, so the low bits of the address are enough: computed once more, rather than
          // kept in registers that loads in flight need.
          const unsigned misaligned =
              static_cast<unsigned>(reinterpret_cast<uintptr_t>(warp_start)) +
              static_cast<unsigned>(turn_pitch) * turn + static_cast<unsigned>(in.pitch) * i;
          word[i] = __funnelshift_r(word[i], next, 8 * misaligned);
        }
      }
      transpose_words<Tile::kBytes>(word);
      Word* const column = staged + (lane + 32 * chunk) * Tile::kPitch + Tile::group_at(group);
#pragma unroll
      for (int i = 0; i < kPack; ++i) column[i * Tile::kRowWords * Tile::kPitch] = word[i];
    }
  }
}

}  // namespace xpose::kernels
