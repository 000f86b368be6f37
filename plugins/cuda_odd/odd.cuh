// Elements of 3 to 15 bytes that are no multiple of 4, put together in registers. Rows of a tile go
// to shared memory as they lie. A lane has a column: it takes the elements of a group out of their
// words, joins them to words of the output row, and shifts these by where that row begins. A block
// owns the sectors that begin in its piece of an output row, so that no sector is written by two
// blocks.
#pragma once

#include <cstdint>
#include <type_traits>
#include <xpose/cuda.hpp>

#include "../kit/cuda/copy_later.cuh"
#include "odd.hpp"

namespace xpose::kernels {

using cuda_odd::Matrices;

// Where a tile lies.
struct OddPlace {
  const unsigned char* in;  // its first column in the matrix's first row
  unsigned char* out;       // its first row in its first column's output row
  int64_t first_row, first_col;

  __device__ __forceinline__ OddPlace(const Matrices& of, const unsigned char* in,
                                      unsigned char* out, int bytes, int rows, int cols)
      : in(in), out(out) {
    uint32_t rest = blockIdx.x / of.tiles_down;
    first_row = int64_t{blockIdx.x - rest * of.tiles_down} * rows;
    const uint32_t above = rest / of.tiles_across;
    first_col = int64_t{rest - above * of.tiles_across} * cols;
    rest = above;
    this->in += first_col * bytes;
    this->out += first_col * of.out_pitch + first_row * bytes;
#pragma unroll 1
    for (int i = 0; i < of.dims; ++i) {
      const auto& dim = of.dim[i];
      const uint32_t next = rest / dim.extent, index = rest - next * dim.extent;
      rest = next;
      this->in += index * dim.in;
      this->out += index * dim.out;
    }
  }
};

__device__ __forceinline__ uint32_t low_bits(const void* at, uint32_t of) {
  return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(at)) % of;
}

// The rows that a tile loads, numbered from those before it on, and those of them that there are.
struct RowsOfTile {
  const unsigned char* first;  // the tile's columns of number 0
  int32_t begin, end;

  __device__ __forceinline__ RowsOfTile(const Matrices& of, const OddPlace& tile, int halo,
                                        int count)
      : first(tile.in + (tile.first_row - halo) * of.in_pitch) {
    const int64_t left = of.rows - tile.first_row + halo;
    begin = tile.first_row == 0 ? halo : 0;
    end = left < count ? static_cast<int32_t>(left) : count;
  }
};

// Copies the rows that the tile has, and those before it, to the same places modulo a vector. So
// many lanes as a row has vectors, or more, go from row to row. Inside: no vector is partly before
// or behind the whole input, of which `first` and `last` are the first vector and the last one.
template <class Tile, bool Inside>
__device__ __forceinline__ void load_rows(const RowsOfTile& rows, int64_t pitch, int32_t bytes,
                                          const unsigned char* first, const unsigned char* last,
                                          unsigned char* raw) {
  constexpr int kVector = cuda_odd::kVector, kLanes = Tile::kRowLanes,
                kStep = Tile::kThreads / kLanes;
  const int32_t at = static_cast<int32_t>(threadIdx.x % kLanes) * kVector;
  if (kLanes != Tile::kVectors && at >= Tile::kRowPitch) return;
  const int32_t start = rows.begin + static_cast<int32_t>(threadIdx.x / kLanes);
  const unsigned char* begin = rows.first + start * pitch;
  unsigned char* held = raw + start * Tile::kRowPitch + at;
#pragma unroll 4
  for (int32_t row = start; row < rows.end;
       row += kStep, begin += kStep * pitch, held += kStep * Tile::kRowPitch) {
    const auto ahead = static_cast<int32_t>(low_bits(begin, kVector));
    if (at >= ahead + bytes) continue;
    const unsigned char* const source = begin - ahead + at;
    if (Inside || (source >= first && source <= last)) {
      copy_later<kVector>(held, source);
    } else {
#pragma unroll 1
      for (int k = 0; k < kVector; ++k)
        held[k] = at + k >= ahead && at + k < ahead + bytes ? source[k] : 0;
    }
  }
}

template <class Tile>
__device__ __forceinline__ void load_rows(const Matrices& of, const unsigned char* in,
                                          const RowsOfTile& rows, int bytes, unsigned char* raw) {
  constexpr int kVector = cuda_odd::kVector;
  const unsigned char* const first = in - of.low;
  const unsigned char* const last = in + of.end - kVector;
  const unsigned char* const begin = rows.first + rows.begin * of.in_pitch;
  const unsigned char* const end = rows.first + (rows.end - 1) * of.in_pitch;
  const bool is_inside = begin >= first + kVector && begin <= last - bytes &&
                         end >= first + kVector && end <= last - bytes;
  if (is_inside)
    load_rows<Tile, true>(rows, of.in_pitch, bytes, first, last, raw);
  else
    load_rows<Tile, false>(rows, of.in_pitch, bytes, first, last, raw);
}

// The bytes of an element, from any address of shared memory.
template <int Bytes>
struct OddElement {
  static constexpr int kWords = (Bytes + 3) / 4, kLoaded = (Bytes + 6) / 4;
  uint32_t word[kWords];  // behind the last byte any

  __device__ __forceinline__ void load(const unsigned char* raw, uint32_t at) {
    const auto* const words = reinterpret_cast<const uint32_t*>(raw + at / 4 * 4);
    uint32_t loaded[kWords + 1];
    loaded[kWords] = 0;
#pragma unroll
    for (int i = 0; i < kLoaded; ++i) loaded[i] = words[i];
#pragma unroll
    for (int i = 0; i < kWords; ++i) word[i] = __funnelshift_r(loaded[i], loaded[i + 1], 8 * at);
  }

  // Four bytes from one of its bytes on.
  __device__ __forceinline__ uint32_t from(int byte) const {
    const int first = byte / 4, next = first + 1 < kWords ? first + 1 : first;
    return __funnelshift_r(word[first], word[next], 8 * (byte % 4));
  }
};

// The words of a group of elements of one column, whose rows begin at `places`.
template <class Tile>
__device__ __forceinline__ void join_group(const unsigned char* raw, const int32_t* places,
                                           uint32_t column, uint32_t (&word)[Tile::kGroupWords]) {
  constexpr int kBytes = Tile::kBytes;
  OddElement<kBytes> element[Tile::kGroup];
#pragma unroll
  for (int i = 0; i < Tile::kGroup; ++i)
    element[i].load(raw, static_cast<uint32_t>(places[i]) + column);
#pragma unroll
  for (int i = 0; i < Tile::kGroupWords; ++i) {
    const int number = 4 * i / kBytes, byte = 4 * i % kBytes, left = kBytes - byte;
    word[i] = element[number].from(byte);
    if (left < 4)
      word[i] = __byte_perm(word[i], element[number + 1].word[0],
                            left == 1   ? 0x6540
                            : left == 2 ? 0x5410
                                        : 0x4210);
  }
}

// Stages the tile's output rows from the sector on that each begins in.
template <class Tile>
__device__ __forceinline__ void join_rows(const Matrices& of, const OddPlace& tile,
                                          const unsigned char* raw, const int32_t* places,
                                          uint32_t* staged) {
  constexpr int kWords = Tile::kGroupWords, kAheadWords = Tile::kAhead * Tile::kBytes / 4;
  constexpr int kEach = (Tile::kGroups + Tile::kShares - 1) / Tile::kShares;
  const uint32_t col = threadIdx.x % Tile::kCols;
  const int share = threadIdx.x / Tile::kCols;
  const int first = share * kEach, end = min(first + kEach, Tile::kGroups);
  if (first >= end || tile.first_col + col >= of.cols) return;
  const uint32_t misaligned = low_bits(tile.out + col * of.out_pitch, cuda_odd::kSector);
  const uint32_t shift = 8 * (misaligned % 4), column = col * Tile::kBytes;

  uint32_t before = 0;  // the word before the group's
  if (first > 0) {
    uint32_t word[kWords];
    join_group<Tile>(raw, places + (first - 1) * Tile::kGroup, column, word);
    before = word[kWords - 1];
  }
  uint32_t* const row = staged + col * Tile::kRunPitch;
  int group = first;
  int at = static_cast<int>(misaligned / 4) + first * kWords - kAheadWords;
  const auto join = [&](auto is_whole) {
    uint32_t word[kWords];
    join_group<Tile>(raw, places + group * Tile::kGroup, column, word);
#pragma unroll
    for (int i = 0; i < kWords; ++i) {
      if (decltype(is_whole)::value || static_cast<uint32_t>(at + i) < Tile::kRunWords)
        row[at + i] = __funnelshift_l(i == 0 ? before : word[i - 1], word[i], shift);
    }
    before = word[kWords - 1];
    at += kWords;
  };
  // Groups that lie in the run wherever it begins within its sector.
  constexpr int kFirstWhole = Tile::kAhead / Tile::kGroup,
                kEndWhole = kFirstWhole + (Tile::kRunWords - cuda_odd::kSector / 4 + 1) / kWords;
#pragma unroll 1
  for (; group < min(end, kFirstWhole); ++group) join(std::false_type{});
#pragma unroll 2
  for (; group < min(end, kEndWhole); ++group) join(std::true_type{});
#pragma unroll 1
  for (; group < end; ++group) join(std::false_type{});
}

// Stores the bytes [first, end) of a staged row. Whole: these are all of it.
template <class Tile, bool Whole>
__device__ __forceinline__ void store_row(unsigned char* to, const uint32_t* row, int first,
                                          int end) {
  const int lane = static_cast<int>(threadIdx.x % 32);
#pragma unroll
  for (int turn = 0; turn < (Tile::kRunWords + 31) / 32; ++turn) {
    const int word = turn * 32 + lane, at = 4 * word;
    if (turn * 32 + 32 > Tile::kRunWords && word >= Tile::kRunWords) break;
    if (Whole || (at >= first && at + 4 <= end)) *reinterpret_cast<uint32_t*>(to + at) = row[word];
  }
  // The words that have a part of the bytes, by a lane a byte.
  if (!Whole && lane < 8) {
    const int at = (lane < 4 ? first : end) / 4 * 4 + lane % 4;
    const bool is_part = lane < 4 ? first % 4 != 0 : end % 4 != 0;
    if (is_part && at >= first && at < end)
      to[at] = reinterpret_cast<const unsigned char*>(row)[at];
  }
}

// Stores the sectors of the output rows that begin in the tile: a warp a row.
template <class Tile>
__device__ __forceinline__ void store_rows(const Matrices& of, const OddPlace& tile,
                                           const uint32_t* staged) {
  constexpr int kWarps = Tile::kThreads / 32, kRunBytes = 4 * Tile::kRunWords;
  const int64_t rows = of.rows - tile.first_row, cols = of.cols - tile.first_col;
  const int left = rows < Tile::kRows ? static_cast<int>(rows) * Tile::kBytes : kRunBytes;
  const int end_col = cols < Tile::kCols ? static_cast<int>(cols) : Tile::kCols;
  const int warp = static_cast<int>(threadIdx.x / 32);
  unsigned char* begin = tile.out + warp * of.out_pitch;
  const uint32_t* row = staged + warp * Tile::kRunPitch;
  for (int col = warp; col < end_col;
       col += kWarps, begin += kWarps * of.out_pitch, row += kWarps * Tile::kRunPitch) {
    const auto misaligned = static_cast<int>(low_bits(begin, cuda_odd::kSector));
    const int first = tile.first_row == 0 ? misaligned : 0;
    const int end = max(first, min(left + misaligned, kRunBytes));
    if (first == 0 && end == kRunBytes)
      store_row<Tile, true>(begin - misaligned, row, first, end);
    else
      store_row<Tile, false>(begin - misaligned, row, first, end);
  }
}

template <class Tile>
__global__ void __launch_bounds__(Tile::kThreads)
    odd(const unsigned char* __restrict__ in, unsigned char* __restrict__ out,
        const __grid_constant__ Matrices of) {
  unsigned char* const raw = plugin::shared_memory<unsigned char>();
  auto* const staged = reinterpret_cast<uint32_t*>(raw + Tile::kRawBytes);
  auto* const places = reinterpret_cast<int32_t*>(staged + Tile::kCols * Tile::kRunPitch);
  const OddPlace tile(of, in, out, Tile::kBytes, Tile::kRows, Tile::kCols);
  constexpr int kVector = cuda_odd::kVector;
  const int64_t cols = of.cols - tile.first_col;
  const int bytes = (cols < Tile::kCols ? static_cast<int>(cols) : Tile::kCols) * Tile::kBytes;
  const RowsOfTile rows(of, tile, Tile::kHalo, Tile::kLoadedRows);
  load_rows<Tile>(of, in, rows, bytes, raw);
  // Those that there are not have the place of one that there is.
  for (int i = threadIdx.x; i < Tile::kAhead + Tile::kRows; i += Tile::kThreads) {
    const int number = i - (Tile::kAhead - Tile::kHalo),
              row = max(rows.begin, min(number, rows.end - 1));
    const auto ahead = static_cast<int>(low_bits(rows.first + row * of.in_pitch, kVector));
    places[i] = row * Tile::kRowPitch + ahead;
    // The last element's words may reach behind the row's vectors.
    const int behind = (ahead + bytes + kVector - 1) / kVector * kVector;
    if (row == number && (behind < Tile::kRowPitch || row == rows.end - 1))
      *reinterpret_cast<uint32_t*>(raw + row * Tile::kRowPitch + behind) = 0;
  }
  copies_arrive();
  __syncthreads();
  join_rows<Tile>(of, tile, raw, places, staged);
  __syncthreads();
  store_rows<Tile>(of, tile, staged);
}

}  // namespace xpose::kernels
