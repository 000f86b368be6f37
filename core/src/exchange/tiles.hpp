// Shared indices of two axes, as problems for the engine: blocks that repeat are batches, not
// problems of their own.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "exchange/overlap.hpp"
#include "xpose/problem.hpp"

namespace xpose {

// The array in which an index of a piece is counted.
enum class Place { from, to, packed };

// Pieces of one extent at equal distances, which repeat as a whole.
struct AxisRun {
  std::int64_t in = 0, out = 0, extent = 0;                 // of the first piece
  std::int64_t count = 1, in_step = 0, out_step = 0;        // of pieces
  std::int64_t repeats = 1, in_period = 0, out_period = 0;  // of all of them
  bool operator==(const AxisRun&) const = default;
};

// The runs of indices that are read at one place and written at another.
std::vector<AxisRun> runs(const SharedIndices& shared, Place in, Place out);

// The first index at a place where all lie side by side there.
std::optional<std::int64_t> begin_of_run(const SharedIndices& shared, Place place);

// An array that a tile reads or writes: elements from one index of each axis to the next, and from
// its address to the element (0, 0).
struct Strides {
  std::array<std::int64_t, 2> axis;
  std::int64_t offset = 0;
};

// A problem, and the elements from the addresses of both arrays to its own.
struct Tile {
  Problem problem;
  std::int64_t in, out;
};

struct TileSide {
  Place place;
  Strides strides;
};

// Rows of a tile that are as they were in the packed lines, and in elements where they are there
// and in the array that takes them.
struct Rectangle {
  std::int64_t packed, packed_pitch, out, out_pitch, run, rows;
};

// The rectangles of the product of two axes' shared indices, of which runs lie along axis `fast`.
std::vector<Rectangle> rectangles(const std::array<SharedIndices, 2>& axes, int fast,
                                  const Strides& packed, const Strides& out);

// The tiles that move the product of two axes' shared indices from one array to another.
std::vector<Tile> tiles(const std::array<SharedIndices, 2>& axes, const TileSide& in,
                        const TileSide& out, std::uint32_t element_bytes);

}  // namespace xpose
