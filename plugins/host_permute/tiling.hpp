// The tile of a permutation: runs of the input and runs of the output, each through as many axes as
// it takes to be long.
#pragma once

#include <cstdint>
#include <vector>

namespace host_permute {

// An axis: its extent and its strides in elements.
struct Axis {
  int64_t extent, in, out;
  bool operator==(const Axis&) const = default;
};

// A piece of a tile: where it begins in the input and in the output, from the tile's begin.
struct Piece {
  int64_t in, out;
  bool operator==(const Piece&) const = default;
};

// An axis along which tiles follow each other.
struct Step {
  Axis axis;
  int64_t tile;  // its extent in a tile; the last tile may have less
  int64_t count() const { return (axis.extent + tile - 1) / tile; }
  bool operator==(const Step&) const = default;
};

// A tile: a block of rows and columns at every pair of an outer and an inner piece. Columns lie
// side by side in the input, rows in the output, both through as many axes as make a block large:
// so each has a place of its own on the other side. The inner pieces complete runs of the output;
// each outer piece has runs of its own. A run that stays together is the columns of one row.
struct Tiling {
  std::vector<int64_t> rows;    // where they begin in the input, in elements, as all else
  std::vector<int64_t> cols;    // where they begin in the output
  std::vector<int64_t> in_run;  // where columns begin in their run of the output
  int64_t whole_cols;           // as many columns as follow each other hold their runs whole
  std::vector<Piece> inner;
  std::vector<Piece> outer;
  bool copies;              // the columns lie side by side in the output too
  int64_t run;              // elements of a run of the output in a full tile
  int64_t read_run;         // elements of a run of the input, likewise
  std::vector<Step> steps;  // from tile to tile, the fastest first: along the input
  // The step of whose axis a last tile has fewer rows, columns, or pieces; -1 for none. Those that
  // it lacks are the last ones.
  int rows_step, cols_step, inner_step, outer_step;

  int64_t tiles() const;
  bool operator==(const Tiling&) const = default;
};

// The runs that are wanted of each side, and those of a cache line, in elements. An axis is cut at
// whole lines where there is room. Wide: columns go through all of the input's run.
struct Wish {
  int64_t out_run, in_run, line;
  bool wide = false;
};

// The sizes that a tiling follows from, at a small part of its cost: equal cuts of the same axes
// make equal tilings, and others make others.
struct Cuts {
  std::vector<int64_t> taken;                // of each axis, by a tile
  std::vector<const Axis*> out_run, in_run;  // the axes of its runs, the fastest first
  bool wide;                                 // as wished
  bool operator==(const Cuts&) const = default;

  bool copies() const { return !in_run.empty() && in_run.front()->out == 1; }
};

// Of axes whose extents are at least 2, and whose output elements do not overlap. No output stride
// is 0. The axes outlive the cuts.
Cuts cuts(const std::vector<Axis>& axes, const Wish& wish);
Tiling tiling(const std::vector<Axis>& axes, const Cuts& cuts);

}  // namespace host_permute
