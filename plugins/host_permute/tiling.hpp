// The tile of a permutation: runs of the input and runs of the output, each through as many axes as
// it takes to be long.
#pragma once

#include <cstdint>
#include <vector>

namespace host_permute {

// An axis: its extent and its strides in elements.
struct Axis {
  int64_t extent, in, out;
};

// A piece of a tile: where it begins in the input and in the output, from the tile's begin.
struct Piece {
  int64_t in, out;
};

// An axis along which tiles follow each other.
struct Step {
  Axis axis;
  int64_t tile;  // its extent in a tile; the last tile may have less
  int64_t count() const { return (axis.extent + tile - 1) / tile; }
};

// A tile: a block of rows and columns at every pair of an outer and an inner piece. Columns lie
// side by side in the input, rows in the output; an axis of which both is true is the columns, and
// there is one row. The inner pieces complete runs of the output; each outer piece has runs of its
// own.
struct Tiling {
  Axis rows, cols;           // extents in a full tile
  std::vector<Piece> inner;  // in elements, as all else
  std::vector<Piece> outer;
  bool cols_are_inner;      // a run of the output holds the columns too
  int64_t run;              // elements of a run of the output in a full tile
  int64_t in_run;           // elements of a run of the input, likewise
  std::vector<Step> steps;  // from tile to tile, the fastest first: along the input
  // The step of whose axis a last tile has fewer rows, columns, or pieces; -1 for none. The pieces
  // that it lacks are the last ones.
  int rows_step, cols_step, inner_step, outer_step;

  int64_t tiles() const;
  bool copies() const { return rows.extent == 1 && cols.out == 1; }
};

// The runs that are wanted of each side, and those of a cache line, in elements. An axis is cut at
// whole lines where there is room.
struct Wish {
  int64_t out_run, in_run, line;
};

// The tiling of axes whose extents are at least 2, whose output strides are positive, and whose
// output elements do not overlap.
Tiling tiling(const std::vector<Axis>& axes, const Wish& wish);

}  // namespace host_permute
