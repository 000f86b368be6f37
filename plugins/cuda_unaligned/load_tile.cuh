// The first half of the kernel: rows at any element, by aligned loads and shifts, into shared
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

template <class Tile>
struct alignas(Tile::kLoadBytes) LoadedWords {
  typename Tile::Word word[Tile::kAtOnce];
};

template <class Tile>
__device__ __forceinline__ bool has_turn(int turn, int warp) {
  return (turn + 1) * Tile::kWarps <= Tile::kGroups || warp + turn * Tile::kWarps < Tile::kGroups;
}

// A row of a matrix, [begin, end), and what may be read around it: neighbouring rows where rows are
// dense, but neither gaps nor memory around the matrix.
template <class Tile>
struct ReadableRow {
  const unsigned char *begin, *end, *from, *until;

  __device__ __forceinline__ ReadableRow(const InputRows& in, const unsigned char* begin)
      : begin(begin), end(begin + int64_t{in.cols} * Tile::kBytes) {
    const bool dense = in.pitch == int64_t{in.cols} * Tile::kBytes;
    from = dense ? in.matrix : begin;
    until = dense ? in.matrix + in.rows * in.pitch : end;
  }
  __device__ __forceinline__ bool may_load(const unsigned char* at) const {
    return at >= from && at + Tile::kLoadBytes <= until;
  }
};

// Loads a lane's words of one row: `start` is the address of the tile's first element in it, or of
// the element that would be there. All of them are in flight at once. Words of which only a part
// may be read are left to stage_row_ends().
template <class Tile, bool Inside, bool Ahead>
__device__ __forceinline__ void load_row(const InputRows& in, const unsigned char* start, int row,
                                         int first_col, int lane,
                                         LoadedWords<Tile> (&loaded)[Tile::kChunks]) {
  constexpr int kApart = 32 * Tile::kLoadBytes;
  const unsigned char* const at =
      start - reinterpret_cast<uintptr_t>(start) % Tile::kLoadBytes + lane * Tile::kLoadBytes;
  if constexpr (Inside) {
#pragma unroll
    for (int i = 0; i < Tile::kChunks; ++i)
      loaded[i] = plugin::load_ahead<Ahead, LoadedWords<Tile>>(at + i * kApart);
  } else if (row >= 0 && row < in.rows) {
    const ReadableRow<Tile> may(in, start - int64_t{first_col} * Tile::kBytes);
#pragma unroll
    for (int i = 0; i < Tile::kChunks; ++i)
      if (at + i * kApart < may.end && may.may_load(at + i * kApart))
        loaded[i] = *reinterpret_cast<const LoadedWords<Tile>*>(at + i * kApart);
  }
}

// A lane's two words of a row of packed elements, from where the tile's columns begin: `misaligned`
// bytes, modulo 8, behind where the loads do. The last lane's in the last chunk end with the loads.
template <class Tile>
__device__ __forceinline__ void shift_row(const LoadedWords<Tile> (&loaded)[Tile::kChunks],
                                          int chunk, unsigned misaligned,
                                          typename Tile::Word (&word)[2]) {
  using Word = typename Tile::Word;
  const bool far = (misaligned & 4) != 0;
  const auto from = [&](int i) { return far ? loaded[i].word[1] : loaded[i].word[0]; };
  const int lane = threadIdx.x % 32, next = chunk + 1 < Tile::kChunks ? chunk + 1 : chunk;
  const bool is_next = lane == 0 && next != chunk;  // of the last lane
  const Word low = is_next ? loaded[next].word[0] : loaded[chunk].word[0];
  const Word next_low = __shfl_sync(0xffffffffu, low, (lane + 1) % 32);
  const Word next_from =
      __shfl_sync(0xffffffffu, is_next ? from(next) : from(chunk), (lane + 1) % 32);
  const Word middle = far ? next_low : loaded[chunk].word[1];
  word[0] = __funnelshift_r(from(chunk), middle, 8 * misaligned);
  word[1] = __funnelshift_r(middle, next_from, 8 * misaligned);
}

// first_row may be negative; nothing outside of the matrix is loaded. Inside: the staged rows and
// the words around the tile's columns lie in the matrix. Ahead: L2 gets the 256-byte blocks that
// they lie in.
template <class Tile, bool Inside, bool Ahead>
__device__ __forceinline__ void load_tile(const InputRows& in, int first_row, int first_col,
                                          typename Tile::Word* staged) {
  using Word = typename Tile::Word;
  constexpr int kTurns = (Tile::kGroups + Tile::kWarps - 1) / Tile::kWarps, kPack = Tile::kPack;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int warp_row = first_row + warp * kPack;
  const unsigned char* const warp_start =
      in.matrix + warp_row * in.pitch + int64_t{first_col} * Tile::kBytes;
  const int64_t turn_pitch = in.pitch * (kPack * Tile::kWarps);

  LoadedWords<Tile> loaded[kTurns][kPack][Tile::kChunks];
  const unsigned char* start = warp_start;
#pragma unroll
  for (int turn = 0; turn < kTurns; ++turn, start += turn_pitch) {
    if (!has_turn<Tile>(turn, warp)) continue;
    const int row = warp_row + turn * (kPack * Tile::kWarps);
#pragma unroll
    for (int i = 0; i < kPack; ++i)
      load_row<Tile, Inside, Ahead>(in, start + i * in.pitch, row + i, first_col, lane,
                                    loaded[turn][i]);
  }

#pragma unroll
  for (int turn = 0; turn < kTurns; ++turn) {
    if (!has_turn<Tile>(turn, warp)) continue;
    Word* const group = staged + Tile::group_at(warp + turn * Tile::kWarps);
#pragma unroll
    for (int chunk = 0; chunk < Tile::kChunks; ++chunk) {
      Word* const column = group + Tile::word_at((lane + 32 * chunk) * Tile::kAtOnce);
      if constexpr (kPack == 1) {
        *column = loaded[turn][0][chunk].word[0];
      } else {
        Word word[2][kPack];
#pragma unroll
        for (int i = 0; i < kPack; ++i) {
          // Modulo 8, so the low bits of the address are enough: computed once more, rather than
          // kept in registers that loads in flight need.
          const unsigned misaligned =
              static_cast<unsigned>(reinterpret_cast<uintptr_t>(warp_start)) +
              static_cast<unsigned>(turn_pitch) * turn + static_cast<unsigned>(in.pitch) * i;
          Word shifted[2];
          shift_row<Tile>(loaded[turn][i], chunk, misaligned, shifted);
          word[0][i] = shifted[0];
          word[1][i] = shifted[1];
        }
#pragma unroll
        for (int k = 0; k < 2; ++k) {
          transpose_words<Tile::kBytes>(word[k]);
#pragma unroll
          for (int i = 0; i < kPack; ++i)
            column[k * Tile::kSplitPitch + i * Tile::kClassPitch] = word[k][i];
        }
      }
    }
  }
}

// Whether rows of the tile may begin or end within words that load_row() leaves out.
template <class Tile>
__device__ __forceinline__ bool has_row_ends(const InputRows& in, int first_row, int first_col) {
  constexpr int kRowsOfLoad = Tile::kLoadBytes / Tile::kBytes;
  if (Tile::kPack == 1 || (first_col > 0 && first_col + Tile::kWidth <= in.cols)) return false;
  return in.pitch != int64_t{in.cols} * Tile::kBytes || first_row < kRowsOfLoad ||
         first_row + Tile::kRows + Tile::kHalo + kRowsOfLoad > in.rows;
}

// Puts the elements of those words into the staged tile, one by one: a thread waits for its
// elements together, a warp that loaded them row by row would wait for each row.
template <class Tile>
__device__ __forceinline__ void stage_row_ends(const InputRows& in, int first_row, int first_col,
                                               typename Tile::Word* staged) {
  using Raw = plugin::Element<Tile::kBytes>;
  constexpr int kOfLoad = Tile::kLoadBytes / Tile::kBytes, kOfRow = 2 * kOfLoad;
  const auto load_of = [](const unsigned char* address) {
    return address - reinterpret_cast<uintptr_t>(address) % Tile::kLoadBytes;
  };
#pragma unroll 4
  for (int i = threadIdx.x; i < (Tile::kRows + Tile::kHalo) * kOfRow; i += Tile::kThreads) {
    const int staged_row = i / kOfRow, row = first_row + staged_row;
    if (row < 0 || row >= in.rows) continue;
    const ReadableRow<Tile> may(in, in.matrix + row * in.pitch);
    const bool at_end = i % kOfRow >= kOfLoad;
    const unsigned char* const load = load_of(at_end ? may.end : may.begin);
    const unsigned char* const element = load + i % kOfLoad * Tile::kBytes;
    if (may.may_load(load) || (at_end && load == load_of(may.begin))) continue;
    if (element < may.begin || element >= may.end) continue;
    const int64_t col = (element - may.begin) / Tile::kBytes - first_col;
    if (col < 0 || col >= Tile::kWidth) continue;
    auto* const word =
        staged + Tile::group_at(staged_row / Tile::kPack) + Tile::column_at(static_cast<int>(col));
    reinterpret_cast<Raw*>(word)[staged_row % Tile::kPack] = *reinterpret_cast<const Raw*>(element);
  }
}

}  // namespace xpose::kernels
