// The parts by which a tile is read and permuted: only its output lies in memory as a whole. Pure
// arithmetic.
#pragma once

#include <cstdint>
#include <vector>

#include "run/block_plan.hpp"
#include "run/file_permutation.hpp"

namespace xpose::app {

// The extents of strips of at most most_bytes, where these have room for the shortest part of an
// output row that is worth writing at once.
std::vector<std::int64_t> strip_extents(const DenseArray& largest_tile, std::uint64_t most_bytes);

// Boxes that cover a tile, in the order of the input.
class TileStrips {
 public:
  // most: the extents of a strip, which may exceed those of a tile at an edge.
  TileStrips(DenseArray tile, const std::vector<std::int64_t>& most);

  std::int64_t size() const;
  Block strip(
      std::int64_t index) const;  // its begin within the tile; none is larger than the first

  // Elements between neighbours along each axis of the output, in the tile's output.
  const std::vector<std::int64_t>& out_strides() const { return out_strides_; }
  std::uint64_t out_place(const Block& strip) const;  // bytes to its first element in it

 private:
  DenseArray tile_;
  std::vector<std::int64_t> most_;
  std::vector<std::int64_t> out_strides_;
};

}  // namespace xpose::app
