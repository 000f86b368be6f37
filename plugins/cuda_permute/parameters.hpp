// The parameters of a kernel, and how they follow from a cut. Host code; kernels read the
// structures.
#pragma once

#include <cstdint>
#include <vector>

#include "cut.hpp"

namespace cuda_permute {

// Division of numbers below 2^31 by one of at least 2 (Granlund and Montgomery, "Division by
// Invariant Integers using Multiplication", 1994).
struct Division {
  uint32_t multiplier, shift;
};

inline constexpr int kCuts = 2;  // axes of which a last tile may have less

// An axis within a tile.
struct TileAxis {
  int64_t stride;  // elements, of one side
  Division by_extent;
  uint32_t extent;
  uint32_t place;  // bytes from one index to the next in shared memory
  uint32_t cut;    // bit of its cut; 0: all tiles have as much of it
  uint32_t left;   // of the extent, in the last tile
};

// An axis along which tiles follow each other.
struct Step {
  int64_t in, out;  // elements from tile to tile
  Division by_count;
  uint32_t count;
  uint32_t cut;  // bit of the cut whose last tile has less; or 0
};

struct Permutation {
  uint32_t tiles;
  int32_t load_axes, store_axes, steps;
  int64_t row_stride;  // elements between rows of a square or strip, in the input
  int64_t col_stride;  // and between its columns, in the output
  uint32_t col_place;  // bytes between those in shared memory
  TileAxis load_axis[16], store_axis[16];  // fastest first; a tile has less than 2^16 elements
  Step step[31];                           // fastest first; less than 2^31 tiles
};

// The axes of a tile, those of a square split into what lies within it and what lies between
// squares. The last one is the index of a square's columns, or of its rows where they are
// loaded in bulk. Those of a strip's rows are none.
struct Parts {
  std::vector<Axis> axes;
  std::vector<uint32_t> cut;  // bits
  std::vector<int64_t> left;  // of the extent, in the last tile

  // `cuts`: of the form's axes, as from add_steps.
  Parts(const Cut& of, const std::vector<uint32_t>& cuts);

  TileAxis tile_axis(int number, int64_t Axis::*stride, int64_t place) const;
};

// `along_input`: tiles follow each other along the input, else along the output.
Permutation parameters(const Cut& cut, bool along_input);

Division division_by(int64_t divisor);

// Fills in the steps. Returns the bit of each axis's cut, 0 where all its tiles are alike.
std::vector<uint32_t> add_steps(const Cut& of, bool along_input, Step* step, int32_t& steps);

}  // namespace cuda_permute
