// A tile whose rows begin anywhere: how it is read and lies in shared memory. Words are elements,
// or of elements of 1 and 2 bytes four and two; the aligned words that lie in a row's part of a
// tile are read whole, and the bytes before and behind them one by one. Rows are staged as they
// were read.
#pragma once

#include <cstdint>
#include <xpose/cuda.hpp>

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
  static_assert(Both || kPack == 1, "packed tiles are staged both at once");

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

// A lane's share of the rows of its warp: words, and a byte of each row's ends.
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

}  // namespace xpose::kernels
