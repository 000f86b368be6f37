// A permutation of elements of 1 or 2 bytes that form no squares in memory. Runs of the input are
// copied to shared memory as they lie. A lane takes words of as many rows as a word has elements,
// the next ones of an output run, shifts them out of their words and transposes them: each is a
// word of one column then. By where that column begins in the output, it is joined with the word
// of the lane before.
#pragma once

#include <cstdint>
#include <xpose/cuda.hpp>

#include "joined.hpp"
#include "runs.cuh"

namespace xpose::kernels {

using cuda_permute::Joined;

// Words of rows, by columns.
template <int Bytes>
__device__ __forceinline__ void transpose_words(const uint32_t (&row)[4 / Bytes],
                                                uint32_t (&column)[4 / Bytes]) {
  if constexpr (Bytes == 1) {
    const uint32_t low01 = __byte_perm(row[0], row[1], 0x5140),
                   high01 = __byte_perm(row[0], row[1], 0x7362),
                   low23 = __byte_perm(row[2], row[3], 0x5140),
                   high23 = __byte_perm(row[2], row[3], 0x7362);
    column[0] = __byte_perm(low01, low23, 0x5410);
    column[1] = __byte_perm(low01, low23, 0x7632);
    column[2] = __byte_perm(high01, high23, 0x5410);
    column[3] = __byte_perm(high01, high23, 0x7632);
  } else {
    column[0] = __byte_perm(row[0], row[1], 0x5410);
    column[1] = __byte_perm(row[0], row[1], 0x7632);
  }
}

// The pieces of a block's tile.
template <int Bytes, int PieceWords>
struct ColumnPieces {
  static constexpr uint32_t kOfWord = 4 / Bytes, kColumns = PieceWords * kOfWord;

  const Joined& of;
  uint16_t* place;      // of the first row of each piece; bytes
  unsigned char** run;  // where each of its columns goes; null: not in the tile

  // For all threads of the block behind their next barrier. `to`: where the tile's output begins.
  __device__ __forceinline__ void find(unsigned char* to, uint32_t last) const {
    const cuda_permute::Columns columns = (of.cut & last) != 0 ? of.last_columns : of.columns;
#pragma unroll 1
    for (uint32_t i = threadIdx.x; i < of.pieces * kColumns; i += cuda_permute::kThreads) {
      const uint32_t number = i / kColumns, within = i % kColumns;
      const uint32_t above = of.columns.pieces == 1 ? number : number / of.by_pieces;
      const uint32_t piece = number - above * of.columns.pieces;
      const uint32_t first = min(piece * kColumns, columns.count - kColumns);
      bool is_in = piece < columns.pieces;
      uint32_t rest = first + within, at = first * Bytes;
      int64_t offset = 0;
#pragma unroll 1
      for (int a = 0; a < of.column_axes; ++a) {
        const TileAxis& axis = of.column_axis[a];
        const uint32_t next = rest / axis.by_extent;
        offset += (rest - next * axis.extent) * axis.stride;
        rest = next;
      }
      rest = above;
#pragma unroll 1
      for (int a = 0; a < of.axes; ++a) {
        const TileAxis& axis = of.axis[a];
        const uint32_t next = rest / axis.by_extent, index = rest - next * axis.extent;
        rest = next;
        offset += index * axis.stride;
        at += index * axis.place;
        is_in &= (axis.cut & last) == 0 || index < axis.left;
      }
      // The last piece begins with columns of the one before.
      run[i] = is_in && first + within >= piece * kColumns ? to + offset * Bytes : nullptr;
      if (within == 0) place[number] = static_cast<uint16_t>(is_in ? at : 0);
    }
  }
};

// A tile in shared memory, whose places may be swizzled.
template <bool Swizzled>
struct JoinedTile {
  static constexpr int kLoad = static_cast<int>(cuda_permute::kJoinedLoad);

  const unsigned char* begin;
  uint32_t ahead;  // bytes from an element's place to where it lies

  template <class T>
  __device__ __forceinline__ T at(uint32_t place) const {
    return *reinterpret_cast<const T*>(begin + spot<Swizzled, kLoad>(place));
  }
};

// The words of a piece's columns, of rows that begin at `places`. `first`: where the piece's first
// row lies.
template <int Bytes, int PieceWords, bool Swizzled>
__device__ __forceinline__ void join_rows(const JoinedTile<Swizzled>& tile, uint32_t first,
                                          const uint16_t* places,
                                          uint32_t (&column)[PieceWords * 4 / Bytes]) {
  constexpr int kRows = 4 / Bytes;
  uint32_t word[PieceWords][kRows];
  const auto where = *reinterpret_cast<const Pack<2 * kRows>*>(places);
#pragma unroll
  for (int row = 0; row < kRows; ++row) {
    const uint32_t at = tile.ahead + first + (where.words[row / 2] >> 16 * (row % 2) & 0xffffu);
    uint32_t loaded[PieceWords + 1];
#pragma unroll
    for (int k = 0; k < PieceWords; ++k) loaded[k] = tile.template at<uint32_t>((at & ~3u) + 4 * k);
    // The word of the last byte, perhaps the one before.
    loaded[PieceWords] = tile.template at<uint32_t>((at + 4 * PieceWords - 1) & ~3u);
#pragma unroll
    for (int k = 0; k < PieceWords; ++k)
      word[k][row] = __funnelshift_r(loaded[k], loaded[k + 1], 8 * at);
  }
#pragma unroll
  for (int k = 0; k < PieceWords; ++k) {
    uint32_t part[kRows];
    transpose_words<Bytes>(word[k], part);
#pragma unroll
    for (int i = 0; i < kRows; ++i) column[k * kRows + i] = part[i];
  }
}

// Stores the words of the tile's output runs of which none is partly outside them. A lane has one
// word of each column of a piece, and the first lane of a warp only that for the next one.
template <int Bytes, int PieceWords, bool Swizzled>
__device__ __forceinline__ void store_words(const RunSide::Length& run,
                                            const ColumnPieces<Bytes, PieceWords>& pieces,
                                            const JoinedTile<Swizzled>& tile,
                                            const uint16_t* places) {
  constexpr int kColumns = ColumnPieces<Bytes, PieceWords>::kColumns, kRows = 4 / Bytes;
  struct alignas(16) Targets {
    unsigned char* at[2];
  };
  constexpr uint32_t kNew = 31, kWarps = cuda_permute::kThreads / 32;
  const uint32_t lane = threadIdx.x % 32, bytes = run.elements * Bytes, whole = bytes - 4,
                 words = bytes < 4 ? 0 : pieces.of.pieces * run.words;
#pragma unroll 1
  for (uint32_t begin = threadIdx.x / 32 * kNew; begin < words; begin += kWarps * kNew) {
    const bool is_new = lane != 0 && begin + lane <= words;
    const uint32_t i = min(max(begin + lane, 1u), words) - 1;
    const uint32_t piece = i / run.by_words, word = i - piece * run.words;
    uint32_t column[kColumns];
    join_rows<Bytes, PieceWords>(tile, pieces.place[piece], places + word * kRows, column);
    const auto* const targets = reinterpret_cast<const Targets*>(pieces.run + piece * kColumns);
#pragma unroll
    for (int c = 0; c < kColumns; c += 2) {
      const Targets two = targets[c / 2];
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        const uint32_t before = __shfl_sync(0xffffffff, column[c + k], lane - 1);
        unsigned char* const target = two.at[k];
        const auto misaligned = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(target) % 4);
        if (is_new && target != nullptr && 4 * word - misaligned <= whole)
          *reinterpret_cast<uint32_t*>(target - misaligned + 4 * word) =
              __funnelshift_l(before, column[c + k], 8 * misaligned);
      }
    }
  }
}

// Stores the first and the last word of each run, where these are not whole: a thread an element.
template <int Bytes, int PieceWords, bool Swizzled>
__device__ __forceinline__ void store_ends(const RunSide::Length& run,
                                           const ColumnPieces<Bytes, PieceWords>& pieces,
                                           const JoinedTile<Swizzled>& tile,
                                           const uint16_t* places) {
  using Element = Pack<Bytes>;
  constexpr uint32_t kOfWord = 4 / Bytes, kColumns = ColumnPieces<Bytes, PieceWords>::kColumns;
  const auto bytes = static_cast<int32_t>(run.elements * Bytes);
#pragma unroll 1
  for (uint32_t i = threadIdx.x; i < pieces.of.pieces * kColumns * 2 * kOfWord;
       i += cuda_permute::kThreads) {
    const uint32_t number = i / (2 * kOfWord);
    unsigned char* const target = pieces.run[number];
    const auto misaligned = static_cast<int32_t>(reinterpret_cast<uintptr_t>(target) % 4);
    const int32_t last = (misaligned + bytes - 1) / 4, word = i / kOfWord % 2 != 0 ? last : 0;
    const int32_t first = 4 * word - misaligned,
                  at = first + static_cast<int32_t>(i % kOfWord * Bytes);
    const bool is_whole = first >= 0 && first + 4 <= bytes;
    if (target == nullptr || is_whole || at < 0 || at >= bytes ||
        (i / kOfWord % 2 != 0 && last == 0))
      continue;
    const uint32_t place = tile.ahead + pieces.place[number / kColumns] +
                           number % kColumns * Bytes + places[at / Bytes];
    *reinterpret_cast<Element*>(target + at) = tile.template at<Element>(place);
  }
}

template <int Bytes, int PieceWords, bool Swizzled, int MinBlocks>
__global__ void __launch_bounds__(cuda_permute::kThreads, MinBlocks)
    permute_joined(const unsigned char* __restrict__ in, unsigned char* __restrict__ out,
                   const __grid_constant__ Joined of) {
  constexpr uint32_t kColumns = ColumnPieces<Bytes, PieceWords>::kColumns, kRows = 4 / Bytes;
  const Runs& all = of.runs;
  unsigned char* const shared = plugin::shared_memory<unsigned char>();
  auto* const columns = reinterpret_cast<unsigned char**>(shared + all.tile_bytes);
  auto* const loads = reinterpret_cast<RunBegin*>(columns + of.pieces * kColumns);
  auto* const places = reinterpret_cast<uint16_t*>(loads + all.load.runs);

  const TilePlace tile(all, blockIdx.x);
  const RunLoads<Bytes, JoinedTile<Swizzled>::kLoad, Swizzled> load(all, tile, in, loads);
  __syncthreads();
  load.copy(shared);

  // While they are on their way.
  const ColumnPieces<Bytes, PieceWords> pieces{of, places + all.places, columns};
  pieces.find(out + tile.out * Bytes, tile.last);
  const TileRuns store(all.store, tile.last);
  const RunSide::Length& run = store.run;
  for (uint32_t i = threadIdx.x; i < run.words * kRows; i += cuda_permute::kThreads)
    places[i] = static_cast<uint16_t>(place_in_run(all.store, min(i, run.elements - 1)));
  copies_arrive();
  __syncthreads();

  const JoinedTile<Swizzled> held{shared, load.ahead()};
  store_words(run, pieces, held, places);
  store_ends(run, pieces, held, places);
}

}  // namespace xpose::kernels
