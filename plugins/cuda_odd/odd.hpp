// Matrices of odd elements, as the kernel takes them, and the tiles that it is compiled for.
#pragma once

#include <bit>
#include <cstdint>

namespace cuda_odd {

// A batch dimension; strides in bytes.
struct Dim {
  int64_t in, out;
  uint32_t extent;
};

inline constexpr int kMostDims = 30;

// Bytes and elements.
struct Matrices {
  int64_t rows, cols;           // of the input
  int64_t in_pitch, out_pitch;  // bytes from row to row
  int64_t low, end;             // bytes that the input has before element 0, and from it on
  uint32_t tiles_down, tiles_across;
  int32_t dims;
  Dim dim[kMostDims];
};

inline constexpr int kVector = 16;  // bytes of a load
inline constexpr int kSector = 32;

// A tile of Rows x Cols elements of the input. A group of elements has whole words.
template <int Bytes, int Rows, int Cols>
struct OddTile {
  static constexpr int kBytes = Bytes, kRows = Rows, kCols = Cols;
  static constexpr int kGroup = Bytes % 4 == 0 ? 1 : Bytes % 2 == 0 ? 2 : 4;  // elements
  static constexpr int kGroupWords = kGroup * Bytes / 4;
  // Rows before the tile that hold bytes of its first sectors, and as many that form groups.
  static constexpr int kHalo = (kSector - 1 + Bytes - 1) / Bytes;
  static constexpr int kAhead = (kHalo + kGroup - 1) / kGroup * kGroup;
  static constexpr int kLoadedRows = kHalo + Rows, kGroups = (kAhead + Rows) / kGroup;
  static constexpr int kThreads = Cols < 64 ? 128 : 256;
  static constexpr int kShares = kThreads / Cols;     // of the groups of a column, one a thread
  static constexpr int kRunWords = Rows * Bytes / 4;  // of an output row
  static constexpr int kRunPitch = kRunWords + 1;     // odd, so that lanes meet all banks
  static constexpr int kVectors = Cols * Bytes / kVector + 1;          // of an input row
  static constexpr int kRowPitch = kVectors * kVector;                 // bytes
  static constexpr int kRowLanes = std::bit_ceil(unsigned{kVectors});  // that load a row
  static constexpr int kRawBytes = kLoadedRows * kRowPitch + kVector;
  static constexpr int kSharedBytes = kRawBytes + 4 * Cols * kRunPitch + 4 * (kAhead + Rows);
  static_assert(Rows * Bytes % kSector == 0 && Cols % 16 == 0);
};

}  // namespace cuda_odd
