// How a tile of a matrix with rows at any element lies in shared memory: words of kPack rows, at
// places where neither rows nor columns of the tile meet a bank twice.
#pragma once

#include <cstdint>

#include "packed_words.cuh"

namespace xpose::kernels {

inline constexpr int kSectorBytes = 32;  // what L2 fills from and evicts to memory at once
inline constexpr int kVectorBytes = 16;  // the widest access of a thread

// Rows and Cols are elements of the input, of which the block writes kSectorBytes-aligned pieces of
// each output row: those that begin in its tile once that is moved up by the misalignment of the
// output row, at most kHalo - 1 elements. So kHalo more rows are staged above the tile.
template <int Bytes, int Rows, int Cols, int Threads>
struct StagedTile {
  using Word = WordOf<Bytes>;
  static constexpr int kThreads = Threads;
  static constexpr int kWarps = Threads / 32;
  static constexpr int kRows = Rows;
  static constexpr int kCols = Cols;
  static constexpr int kBytes = Bytes;
  static constexpr int kWordBytes = sizeof(Word);
  static constexpr int kPack = kWordBytes / Bytes;        // elements of a word
  static constexpr int kHalo = kSectorBytes / Bytes;      // rows
  static constexpr int kGroups = (Rows + kHalo) / kPack;  // words of a staged column
  static constexpr int kRowWords = Cols / kPack;          // words of an input row
  static constexpr int kChunks = kRowWords / 32;          // the same, of a lane
  static constexpr int kVectorWords = kVectorBytes / kWordBytes;
  static constexpr int kVectorRows = kVectorBytes / Bytes;  // elements of a vector
  static constexpr int kVectors = Rows / kVectorRows;       // vectors of an output row
  static constexpr int kParts = (kGroups + kVectorWords - 1) / kVectorWords;
  static constexpr int kPitch = kParts * kVectorWords | 1;  // words; odd, so that the lanes of a
                                                            // row meet all banks
  static constexpr uint64_t kSharedBytes = uint64_t{Cols} * kPitch * kWordBytes;

  static_assert(Cols % (32 * kPack) == 0, "a warp loads whole chunks of 32 words");
  static_assert(32 % kVectors == 0 || kVectors % 32 == 0,
                "a warp writes whole output rows or parts");
  static_assert(Cols * kVectors % Threads == 0 && Threads % kVectors == 0);

  // Where a column begins: (kPack, kRowWords) columns of kPitch words.
  __device__ static int column_at(int col) {
    return (col % kPack * kRowWords + col / kPack) * kPitch;
  }

  // Where a group of kPack rows lies in its column, (kVectorWords, kParts): the first words of the
  // vectors stand together, then the second ones.
  __device__ static int group_at(int group) {
    return group % kVectorWords * kParts + group / kVectorWords;
  }

  // The n-th column that is written. A warp that writes pieces of several output rows takes columns
  // whose distance in shared memory is that of their vectors, so that its lanes meet all banks.
  __device__ static int column(int n) {
    constexpr int kColumns = kVectors < 32 ? 32 / kVectors : 1;  // of a warp
    constexpr int kApart = 32 / kColumns;                        // words of an input row
    const int warp = n / kColumns;
    const int word = n % kColumns * kApart + warp % kApart + warp / (kApart * kPack) * 32;
    return word * kPack + warp / kApart % kPack;
  }
};

}  // namespace xpose::kernels
