// The two sides of a tile that is moved by runs. Host code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runs.hpp"

namespace cuda_permute {

// Elements of a run of the output that have entries in a table.
inline constexpr int64_t kMostPlaces = 1024;
inline constexpr int64_t kTableBytes = 10 << 10;  // at most, words that warps exchange included
inline constexpr int64_t kMostTile = 0xff00;      // bytes of a tile, whose places fit into 16 bits

// A side of a tile: its axes, the fastest first, and as many of them as are a run.
struct Side {
  std::vector<int> order;
  int64_t Axis::*stride;
  size_t run_axes;
  int64_t run;       // elements
  int64_t word = 0;  // bytes
};

// Of the axes in the order of the input, and of the output.
Side input_side(const Parts& parts, std::vector<int> order, int64_t bytes);
Side output_side(const Parts& parts, std::vector<int> order);

// As the kernel takes it; `places`: of each axis in shared memory.
RunSide run_side(const Parts& parts, const Side& of, const std::vector<int64_t>& places,
                 int64_t bytes);

std::vector<int64_t> extents_of(const Parts& parts);
// Of the axes' strides in the input, by words.
std::vector<int64_t> remainders_of(const Parts& parts, int64_t bytes, int64_t word);

// Bytes that the input has before element 0, and from it on.
void add_span(Runs& to, const Form& form);

}  // namespace cuda_permute
