// The same exchange for rows that begin anywhere. A warp reads and writes the aligned words that
// lie in its part of a row, and the bytes before and behind them one by one, so that nothing of
// another tile is touched.
//
// Words are elements, or of elements of 1 and 2 bytes four and two: rows are then staged as they
// were read. Where they begin in a word, which rows kPack apart have in common, is shifted away
// when columns are read, and where an output row begins is shifted in when it is written; in
// between 4x4 or 2x2 elements are transposed in registers.
//
// A sector that two tiles have a part of is written twice, each time in part, which costs L2 more
// than twice: long runs. One H200, shares of the roof at 16383 a side, of 4 bytes: runs of 128
// bytes 54.4 %, 256 69.2; 72.7 where a warp's turns begin at lines, so that no sector is written by
// two of them; 512 bytes, one tile staged after the other, 75.3. Of 2 bytes 38.1 % by elements
// and 70.2 by words, of 1 byte, 32767 a side, 24.2 and 48.0; turns that begin at lines take these
// more shuffles and end at 53 and 45.
#pragma once

#include <cstdint>
#include <xpose/cuda.hpp>

#include "swap_vectors.cuh"
#include "tile_pair.cuh"

namespace xpose::kernels {

// A square tile of elements E in rows of Run bytes, moved as WordOfRow by Threads threads. Both:
// the tile and its partner are in shared memory at once.
template <class E, class WordOfRow, int Run, int Threads, bool Both>
struct UnalignedTile {
  using Word = WordOfRow;
  static constexpr int kThreads = Threads;
  static constexpr bool kBothStaged = Both;
  static constexpr int kBytes = sizeof(E);
  static constexpr int kWordBytes = sizeof(Word);
  static constexpr int kPack = kWordBytes / kBytes;  // elements of a word
  static constexpr int kSide = Run / kBytes;         // elements
  static constexpr int kWords = Run / kWordBytes;    // of a row
  static constexpr int kChunks = kWords / 32;        // of a row, a word a lane
  static constexpr int kWarps = Threads / 32;
  static constexpr int kRows = kSide / kWarps;  // of a warp
  // In shared memory a column meets every bank, and packed rows have a word more.
  static constexpr int kPitch = kWords + (kWordBytes < 4 ? 4 / kWordBytes : 1);
  static constexpr int kTileWords = kSide * kPitch;
  static constexpr uint64_t kSharedBytes = uint64_t{Both ? 2 : 1} * kTileWords * kWordBytes;
  static_assert(kChunks * 32 == kWords && kRows * kWarps == kSide && kRows <= 32);
  static_assert(kWords % kWarps == 0);
  static_assert(Both || kPack == 1, "bytes at the ends of rows are read when these are staged");

  // Rows kPack apart follow each other.
  static __device__ __forceinline__ int row_at(int row) {
    return (row % kPack * (kSide / kPack) + row / kPack) * kPitch;
  }
  // Bytes from the beginning of the word that an address lies in.
  static __device__ __forceinline__ int misaligned(const unsigned char* at) {
    return kPack > 1 ? static_cast<int>(reinterpret_cast<uintptr_t>(at) % kWordBytes) : 0;
  }
};

// A tile in the matrix. rows and cols: how many of its the matrix has; pitch in bytes.
struct PlacedTile {
  unsigned char* at;
  int64_t pitch;
  int rows, cols;
};

// What a lane has of the rows of its warp: words, and a byte of each row's ends.
template <class Tile>
struct HeldRows {
  typename Tile::Word word[Tile::kRows][Tile::kChunks];
  unsigned char end[Tile::kRows];
};

// Inside, here and below: the tile is whole.
template <class Tile, bool Inside>
__device__ __forceinline__ bool is_whole(int word, int misaligned, int bytes) {
  return (word > 0 || misaligned == 0) &&
         (Inside || (word + 1) * Tile::kWordBytes <= misaligned + bytes);
}

// The bytes of a row in words that are not its own as a whole, counted from the first word's
// beginning: lane b has byte b of the first word, or of the word behind the last one. Those of the
// first word, and of a last one before the tile's end, are left to the caller unless inside.
template <class Tile>
__device__ __forceinline__ int end_of_row(int misaligned) {
  const int lane = threadIdx.x % 32;
  return lane < misaligned ? Tile::kWords * Tile::kWordBytes + lane : lane;
}
template <class Tile, bool Inside>
__device__ __forceinline__ bool has_end(int misaligned, int bytes) {
  const int lane = threadIdx.x % 32;
  if constexpr (Inside) return misaligned != 0 && lane < Tile::kWordBytes;
  return lane < misaligned && end_of_row<Tile>(misaligned) - misaligned < bytes;
}

// Calls body(at, bit) for each byte of a word that the row has: from the first word's beginning,
// and in the word.
template <class Tile, class Body>
__device__ __forceinline__ void for_each_byte(int word, int misaligned, int bytes,
                                              const Body& body) {
  for (int b = 0; b < Tile::kWordBytes; ++b) {
    const int at = word * Tile::kWordBytes + b;
    if (at >= misaligned && at < misaligned + bytes) body(at, 8 * b);
  }
}

template <class Tile, bool Inside>
__device__ __forceinline__ void read_rows(const PlacedTile& tile, HeldRows<Tile>& held) {
  using Word = typename Tile::Word;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int bytes = tile.cols * Tile::kBytes;
#pragma unroll
  for (int i = 0; i < Tile::kRows; ++i) {
    const int row = warp + i * Tile::kWarps;
    const unsigned char* const start = tile.at + row * tile.pitch;
    const int misaligned = Tile::misaligned(start);
    const unsigned char* const words = start - misaligned;
#pragma unroll
    for (int chunk = 0; chunk < Tile::kChunks; ++chunk) {
      const int index = lane + 32 * chunk;
      Word& word = held.word[i][chunk];
      word = Word{};
      if (!Inside && row >= tile.rows) continue;
      if (is_whole<Tile, Inside>(index, misaligned, bytes))
        word = reinterpret_cast<const Word*>(words)[index];
      else if constexpr (!Inside && Tile::kPack > 1)
        for_each_byte<Tile>(index, misaligned, bytes,
                            [&](int at, int bit) { word |= Word{words[at]} << bit; });
    }
    if constexpr (Tile::kPack > 1)
      if ((Inside || row < tile.rows) && has_end<Tile, Inside>(misaligned, bytes))
        held.end[i] = words[end_of_row<Tile>(misaligned)];
  }
}

template <class Tile, bool Inside>
__device__ __forceinline__ void stage_rows(const PlacedTile& tile, const HeldRows<Tile>& held,
                                           typename Tile::Word* staged) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
  for (int i = 0; i < Tile::kRows; ++i) {
    auto* const row = staged + Tile::row_at(warp + i * Tile::kWarps);
#pragma unroll
    for (int chunk = 0; chunk < Tile::kChunks; ++chunk)
      row[lane + 32 * chunk] = held.word[i][chunk];
  }
  if constexpr (Tile::kPack > 1) {
    if (lane < Tile::kRows) staged[Tile::row_at(warp + lane * Tile::kWarps) + Tile::kWords] = 0;
    __syncwarp();
#pragma unroll
    for (int i = 0; i < Tile::kRows; ++i) {
      const int row = warp + i * Tile::kWarps;
      const int misaligned = Tile::misaligned(tile.at + row * tile.pitch);
      if ((Inside || row < tile.rows) &&
          has_end<Tile, Inside>(misaligned, tile.cols * Tile::kBytes))
        reinterpret_cast<unsigned char*>(staged + Tile::row_at(row))[end_of_row<Tile>(misaligned)] =
            held.end[i];
    }
  }
}

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
