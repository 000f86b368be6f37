// The parameters of the kernel that moves runs, and how they follow from a cut. Host code; the
// kernel reads the structures.
#pragma once

#include <cstdint>
#include <optional>

#include "parameters.hpp"

namespace cuda_permute {

// The runs of one side of a tile: its innermost axes, as far as they continue each other. The other
// axes of the tile number the runs.
struct RunSide {
  struct Length {
    uint32_t elements;
    uint32_t words;  // that it lies in, at most; at least 2
    Division by_words;
  };
  Length run, last_run;           // in the last tile along the cut
  uint32_t run_cut;               // 0: all are alike
  uint32_t runs, last_runs, cut;  // of a tile, and of the last one along the cut
  int32_t run_axes, axes;
  TileAxis axis[16];  // fastest first: those within a run, then the others
};

struct Runs {
  RunSide load, store;
  bool wide;            // words of both sides
  bool swizzled;        // places in shared memory
  int64_t low, end;     // bytes that the input has before element 0, and from it on
  uint32_t tile_bytes;  // of shared memory; a multiple of 128
  uint32_t places;      // entries of the table of places; a multiple of 16
  // A longer run of the output repeats its places so many elements further on, so many bytes apart.
  // 0: a table has all of a run.
  uint32_t period, period_place;
  Division by_period;
  // Bytes from row to row of a strip in shared memory; store counts strips then. 0: it counts
  // elements.
  uint32_t strip_place;
  int32_t steps;
  Step step[31];
};

// Nothing where a side has too many runs, or too long ones, for the tables of a block, or where
// there are 2^31 tiles. Without paddings it is made faster, to be looked at.
std::optional<Runs> runs(const Cut& cut, bool along_input, bool paddings = true);

// The same in strips, for input and output at multiples of a word. Nothing where strips are no
// whole words either.
std::optional<Runs> strips(const Cut& cut, bool along_input);

// Shared memory of a block, tables included.
uint64_t shared_bytes(const Runs& runs, int64_t element_bytes);

}  // namespace cuda_permute
