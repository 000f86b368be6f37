// How a tile of a matrix with rows at any element lies in shared memory: words of kPack rows, at
// places where neither rows nor columns of the tile meet a bank twice.
#pragma once

#include <cstdint>

#include "../kit/cuda/packed_words.cuh"

namespace xpose::kernels {

inline constexpr int kSectorBytes = 32;  // L2 fills from memory and writes back whole ones
inline constexpr int kVectorBytes = 16;  // the widest access of a thread

// Rows and Width are elements of the input. The block writes kSectorBytes-aligned pieces of each
// output row: those that begin in its tile once that is moved up by the misalignment of the
// output row, at most kHalo - 1 elements. So kHalo more rows are staged above the tile. Of packed
// elements a lane loads two words at once, and the last of a row only complete the columns before
// them: kCols are owned.
template <int Bytes, int Rows, int Width, int Threads>
struct StagedTile {
  using Word = WordOf<Bytes>;
  static constexpr int kBytes = Bytes;
  static constexpr int kThreads = Threads;
  static constexpr int kWarps = Threads / 32;
  static constexpr int kRows = Rows;
  static constexpr int kWidth = Width;
  static constexpr int kWordBytes = sizeof(Word);
  static constexpr int kPack = kWordBytes / Bytes;         // elements of a word
  static constexpr int kAtOnce = kPack > 1 ? 2 : 1;        // words of a load
  static constexpr int kLoadBytes = kAtOnce * kWordBytes;  // which is aligned to them
  static constexpr int kSpareCols = kPack > 1 ? kLoadBytes / Bytes : 0;
  static constexpr int kCols = Width - kSpareCols;
  static constexpr int kHalo = kSectorBytes / Bytes;      // rows
  static constexpr int kGroups = (Rows + kHalo) / kPack;  // words of a staged column
  static constexpr int kLoads = Width / kPack / kAtOnce;  // of an input row
  static constexpr int kChunks = kLoads / 32;             // the same, of a lane
  static constexpr int kVectorWords = kVectorBytes / kWordBytes;
  static constexpr int kVectorRows = kVectorBytes / Bytes;  // elements of a vector
  static constexpr int kVectors = Rows / kVectorRows;       // vectors of an output row
  static constexpr int kStep = Threads / kVectors;          // columns written at once

  // A warp that writes pieces of several output rows writes those of kFar columns whose rows are
  // misaligned alike, as far as the block has so many, and of kClasses columns of one word.
  static constexpr int kLanes = 128 / kWordBytes;  // that meet all banks
  static constexpr int kColumns = kVectors < kLanes ? kLanes / kVectors : 1;
  static constexpr int kFar = kStep / kHalo < kColumns ? kStep / kHalo : kColumns;
  static constexpr int kClasses = kColumns / kFar;
  static constexpr int kFarWords = 32 / kColumns * kAtOnce;  // apart

  // In shared memory, in words: kPitch from one load's columns to the next's, odd, so that the
  // lanes of a row meet all banks, and those that read kFar columns do; kSplitPitch between the
  // words of a load; kClassPitch between the columns of a word, kClasses of which meet all banks if
  // their rows are misaligned alike.
  static constexpr int kParts = (kGroups + kVectorWords - 1) / kVectorWords;
  static constexpr int kPitch = kParts * kVectorWords | 1;
  static constexpr int kSplitPitch = kLoads * kPitch;
  static constexpr int kClassPitch = kAtOnce * kSplitPitch + (kClasses > 1 ? 32 / kClasses : 0);
  static constexpr uint64_t kSharedBytes = uint64_t{kPack} * kClassPitch * kWordBytes;

  static_assert(kLoads % 32 == 0, "a warp loads whole chunks of 32");
  static_assert(Width % kStep == 0 && Threads % kVectors == 0);
  static_assert(kStep % (kHalo * kFar) == 0 && kClasses <= kPack);

  // Where a word's columns begin: (kPack, kAtOnce, kLoads) columns of kPitch words.
  __device__ static int word_at(int word) {
    return word % kAtOnce * kSplitPitch + word / kAtOnce * kPitch;
  }
  __device__ static int column_at(int col) {
    return col % kPack * kClassPitch + word_at(col / kPack);
  }

  // Where a group of kPack rows lies in its column, (kVectorWords, kParts): the first words of the
  // vectors stand together, then the second ones.
  __device__ static int group_at(int group) {
    return group % kVectorWords * kParts + group / kVectorWords;
  }

  // The columns that are written at once are those of column(n), n below kStep, behind
  // turn_column(turn): misaligned as in the first turn.
  __device__ static constexpr int column(int n) {
    return nth_of_warps(n / kColumns) + n / kClasses % kFar * (kFarWords * kPack) + n % kClasses;
  }
  __device__ static constexpr int turn_column(int turn) {
    return nth_of_warps(turn * (kStep / kColumns));
  }

  // The first of the n-th warp's columns.
  __device__ static constexpr int nth_of_warps(int n) {
    constexpr int kHigh = kPack / kClasses;  // of a word
    const int word = n / kHigh;
    return (word % kFarWords + word / kFarWords * (kFarWords * kFar)) * kPack +
           n % kHigh * kClasses;
  }

  static constexpr int kWarpsOfBlock =
      kFarWords * (kPack / kClasses);  // before columns are skipped
  static_assert(kStep / kColumns % kWarpsOfBlock == 0 || kWarpsOfBlock % (kStep / kColumns) == 0,
                "turn_column adds up");
};

}  // namespace xpose::kernels
