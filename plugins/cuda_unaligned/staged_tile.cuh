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
  // Of the columns that one access of a warp meets at once: those of a word, and of words apart.
  static constexpr int kLanes = 128 / kWordBytes;
  static constexpr int kColumns = kVectors < kLanes ? kLanes / kVectors : 1;
  static constexpr int kClasses = kPack < kColumns ? kPack : kColumns;
  static constexpr int kFar = kColumns / kClasses;
  static constexpr int kClassPitch = kRowWords * kPitch + (kClasses > 1 ? 32 / kClasses : 0);
  static constexpr uint64_t kSharedBytes = uint64_t{kPack} * kClassPitch * kWordBytes;
  static constexpr int kStep = Threads / kVectors;  // columns that a block writes at once

  static_assert(Cols % (32 * kPack) == 0, "a warp loads whole chunks of 32 words");
  static_assert(Cols % kStep == 0 && Threads % kVectors == 0);
  static_assert(kStep % kHalo == 0, "all columns of a thread are misaligned alike");
  static_assert(kStep % (kFar * kVectors * kPack) == 0 || kFar == 1);

  // Where a column begins: (kPack, kRowWords) columns of kPitch words, with a gap behind each
  // kRowWords.
  __device__ static int column_at(int col) {
    return col % kPack * kClassPitch + col / kPack * kPitch;
  }

  // Where a group of kPack rows lies in its column, (kVectorWords, kParts): the first words of the
  // vectors stand together, then the second ones.
  __device__ static int group_at(int group) {
    return group % kVectorWords * kParts + group / kVectorWords;
  }

  // The n-th column that is written. Where a warp writes pieces of several output rows, its columns
  // are kVectors banks apart, by the gap and by kVectors words.
  __device__ static int column(int n) {
    constexpr int kHigh = kPack / kClasses;
    const int far = n / kClasses % kFar, rest = n / (kClasses * kFar);
    const int word = rest / kHigh;
    return (word % kVectors + far * kVectors + word / kVectors * (kVectors * kFar)) * kPack +
           rest % kHigh * kClasses + n % kClasses;
  }
};

}  // namespace xpose::kernels
