// A tile of `lanes` in figures that the host works out once and every block reads.
#pragma once

#include <cstdint>

namespace xpose::kernels {

// A lane has a group of kPack neighbouring rows, which make a word of 4 bytes of an output row. The
// last lane's only completes the words before it.
inline constexpr int kWordBytes = 4, kOwnedLanes = 31;

// Elements are `Bytes` long in all of these. The rows of a tile lie in shared memory as they lie in
// the input, modulo the bytes of a load, behind as many bytes as they begin past a multiple of it.
struct LanesTile {
  int width;                   // columns of a block, a multiple of kPack unless it has all
  int warp_cols;               // columns of a warp, a multiple of kPack
  int bands_log2;              // warps side by side down the rows
  int row_pitch, group_pitch;  // bytes in shared memory from a row, a group to the next
  int lanes_log2;              // threads that load a row
  bool dense;                  // rows of the input follow each other without gaps
};

// One of the matrices of a problem, or a part of it; pitches and strides in bytes.
struct LanesMatrix {
  int rows, cols;  // of the input
  int64_t in_pitch, out_pitch, in_stride, out_stride;
};

}  // namespace xpose::kernels
