// Rows of a tile on their way between a caller's memory and a slot, by threads or by the GPU.
#pragma once

#include <cstdint>

namespace staged {

// Equal runs of bytes, `pitch` apart in each of `matrices` matrices, which are `stride` apart. A
// slot holds the runs without gaps.
struct Rows {
  unsigned char* begin;  // of the first run, in the caller's memory
  int64_t run, rows, matrices;
  int64_t pitch, stride;

  int64_t bytes() const { return run * rows * matrices; }
  int64_t matrix_bytes() const { return run * rows; }
  // The same bytes in the fewest runs.
  Rows joined() const;
};

// Whether the GPU copies such rows at its full speed where they are pinned: those of a full tile.
// Else threads gather them faster.
bool suits_gpu(const Rows& tile);

// Copies the bytes [first, last) of all runs, counted without gaps, to or from a slot.
void copy_to_slot(const Rows& rows, unsigned char* slot, int64_t first, int64_t last);
void copy_from_slot(const Rows& rows, const unsigned char* slot, int64_t first, int64_t last);

}  // namespace staged
