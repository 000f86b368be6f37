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

// The part of a row that a tile loads, in bytes from its first load on. Beside a row only its
// neighbours may be read, where rows are dense: neither gaps nor memory around the matrix.
template <class Tile>
struct RowSpan {
  static constexpr int kBytes = Tile::kLoadBytes;
  int begin, end;              // of the tile's elements; an end behind all loads may be any such
  bool may_before, may_after;  // elements beside these may be read, as far as loads reach

  // misaligned: where the tile's first element in the row is, or would be, modulo kBytes.
  __device__ __forceinline__ RowSpan(const InputRows& in, int row, int first_col,
                                     unsigned misaligned) {
    const bool dense = in.pitch == int64_t{in.cols} * Tile::kBytes;
    // Rows of which so many lie between have a load between them.
    const auto far = [&](int rows, int bytes) {
      return dense && (rows >= kBytes || rows * in.pitch >= bytes);
    };
    begin = static_cast<int>(misaligned % kBytes);
    end = begin + min(in.cols - first_col, Tile::kWidth + kBytes) * Tile::kBytes;
    may_before = first_col > 0 || far(row, begin);
    may_after = far(in.rows - 1 - row, kBytes - end % kBytes);
  }

  __device__ __forceinline__ bool may_load(int at) const {
    return at < end && (at >= begin || may_before) && (at + kBytes <= end || may_after);
  }
  // Whether loads of which only a part may be read have the first element, or the last.
  __device__ __forceinline__ bool begins_within() const { return begin != 0 && !may_before; }
  __device__ __forceinline__ bool ends_within() const {
    return end % kBytes != 0 && !may_after && end < Tile::kLoads * kBytes;
  }
  __device__ __forceinline__ int last_load() const { return end / kBytes; }
};

// Loads a lane's words of one row, but for those of which only a part may be read. All are in
// flight at once.
template <class Tile, bool Inside, bool Ahead>
__device__ __forceinline__ void load_row(const InputRows& in, const unsigned char* start, int row,
                                         int first_col,
                                         LoadedWords<Tile> (&loaded)[Tile::kChunks]) {
  const auto misaligned =
      static_cast<unsigned>(reinterpret_cast<uintptr_t>(start) % Tile::kLoadBytes);
  const int lane_at = threadIdx.x % 32 * Tile::kLoadBytes;
  const unsigned char* const at = start - misaligned + lane_at;
#pragma unroll
  for (int i = 0; i < Tile::kChunks; ++i) {
    const int apart = i * 32 * Tile::kLoadBytes;
    if constexpr (Inside) {
      loaded[i] = plugin::load_ahead<Ahead, LoadedWords<Tile>>(at + apart);
    } else if (row >= 0 && row < in.rows) {
      if (RowSpan<Tile>(in, row, first_col, misaligned).may_load(lane_at + apart))
        loaded[i] = *reinterpret_cast<const LoadedWords<Tile>*>(at + apart);
    }
  }
}

// Of a word, the elements that owns(first byte, bytes) says are a row's, the others 0, by the
// widest accesses.
template <int Bytes, class Owns>
__device__ __forceinline__ uint32_t own_elements(const unsigned char* word, const Owns& owns) {
  uint32_t whole = 0, half[2] = {}, byte[4] = {};
  if (owns(0, 4)) whole = *reinterpret_cast<const uint32_t*>(word);
#pragma unroll
  for (int i = 0; i < 2; ++i)
    if (!owns(0, 4) && owns(2 * i, 2)) half[i] = *reinterpret_cast<const uint16_t*>(word + 2 * i);
  if constexpr (Bytes == 1) {
#pragma unroll
    for (int i = 0; i < 4; ++i)
      if (!owns(i / 2 * 2, 2) && owns(i, 1)) byte[i] = word[i];
  }
  return whole | half[0] | half[1] << 16 | byte[0] | byte[1] << 8 | byte[2] << 16 | byte[3] << 24;
}

// The loads in which rows begin and end, where only a part may be read. Each lane finds those of
// one row of its warp, all at one time, so that a warp waits for them once.
template <class Tile>
class EdgeWords {
 public:
  EdgeWords() = default;
  __device__ __forceinline__ EdgeWords(const RowSpan<Tile>& span, const unsigned char* start) {
    if (span.begins_within()) find(span, start - span.begin, 0, begin_);
    if (span.ends_within()) find(span, start - span.begin, span.last_load(), end_);
  }

  // Puts those that lane `finder` has found for a row in their places.
  __device__ __forceinline__ void complete(const RowSpan<Tile>& span, int finder,
                                           LoadedWords<Tile> (&loaded)[Tile::kChunks]) const {
    const int lane = threadIdx.x % 32;
    if (span.begins_within()) {
#pragma unroll
      for (int k = 0; k < Tile::kAtOnce; ++k) {
        const uint32_t word = __shfl_sync(0xffffffffu, begin_[k], finder);
        if (lane == 0) loaded[0].word[k] = word;
      }
    }
    if (span.ends_within()) {
#pragma unroll
      for (int k = 0; k < Tile::kAtOnce; ++k) {
        const uint32_t word = __shfl_sync(0xffffffffu, end_[k], finder);
#pragma unroll
        for (int i = 0; i < Tile::kChunks; ++i)
          if (span.last_load() == lane + 32 * i) loaded[i].word[k] = word;
      }
    }
  }

 private:
  __device__ __forceinline__ static void find(const RowSpan<Tile>& span, const unsigned char* first,
                                              int load, uint32_t (&words)[Tile::kAtOnce]) {
#pragma unroll
    for (int k = 0; k < Tile::kAtOnce; ++k) {
      const int at = load * Tile::kLoadBytes + k * Tile::kWordBytes;
      words[k] = own_elements<Tile::kBytes>(first + at, [&](int offset, int bytes) {
        return (at + offset >= span.begin || span.may_before) && at + offset + bytes <= span.end;
      });
    }
  }

  uint32_t begin_[Tile::kAtOnce] = {}, end_[Tile::kAtOnce] = {};
};

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

  // Modulo 8, so the low bits of the address are enough: computed once more, rather than kept in
  // registers that loads in flight need.
  const auto misaligned = [&](int turn, int i) {
    return static_cast<unsigned>(reinterpret_cast<uintptr_t>(warp_start)) +
           static_cast<unsigned>(turn_pitch) * turn + static_cast<unsigned>(in.pitch) * i;
  };
  const auto row_of = [&](int turn, int i) { return warp_row + turn * (kPack * Tile::kWarps) + i; };
  const auto exists = [&](int turn, int i) {
    return has_turn<Tile>(turn, warp) && row_of(turn, i) >= 0 && row_of(turn, i) < in.rows;
  };
  const auto span_of = [&](int turn, int i) {
    return RowSpan<Tile>(in, row_of(turn, i), first_col, misaligned(turn, i));
  };
  constexpr bool kHasEdges = !Inside && kPack > 1;
  EdgeWords<Tile> edges;
  if constexpr (kHasEdges) {
    static_assert(kTurns * kPack <= 32, "a lane for each row");
    const int turn = lane / kPack, i = lane % kPack;
    if (turn < kTurns && exists(turn, i))
      edges = EdgeWords<Tile>(span_of(turn, i), warp_start + turn * turn_pitch + i * in.pitch);
  }

  LoadedWords<Tile> loaded[kTurns][kPack][Tile::kChunks];
  const unsigned char* start = warp_start;
#pragma unroll
  for (int turn = 0; turn < kTurns; ++turn, start += turn_pitch) {
    if (!has_turn<Tile>(turn, warp)) continue;
#pragma unroll
    for (int i = 0; i < kPack; ++i)
      load_row<Tile, Inside, Ahead>(in, start + i * in.pitch, row_of(turn, i), first_col,
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
          if constexpr (kHasEdges)
            if (chunk == 0 && exists(turn, i))
              edges.complete(span_of(turn, i), turn * kPack + i, loaded[turn][i]);
          Word shifted[2];
          shift_row<Tile>(loaded[turn][i], chunk, misaligned(turn, i), shifted);
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

}  // namespace xpose::kernels
