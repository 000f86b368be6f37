// Elements of a trial's buffers, here and there, that are changed before a timed launch and looked
// at right after it: a launch that leaves out its work, or what it did for the last content, shows.
#pragma once

#include "pattern/pattern.hpp"

namespace xpose {

// The same number of spots in each of several pairs of buffers. A spot is an input element and the
// output element that it belongs into. Set, the input has the complement of what its pattern says
// and the output what belonged there before; a right launch puts the complement there. In place a
// spot is two elements that change places.
struct Spots {
  static constexpr std::uint32_t kMostPairs = 64;
  struct Pair {
    std::byte* in;  // whole allocations; one in place
    std::byte* out;
  };
  Pattern pattern;             // of an output allocation, that has to be right
  std::uint64_t in_begin = 0;  // offset of the input's element 0
  std::uint64_t flip = 0;      // the bits that are changed; 0: as the patterns say
  std::uint64_t seed = 0;
  int row_dim = -1;  // in place: of the pattern's dimensions, which change places
  int col_dim = -1;
  std::uint32_t of_pair = 0;  // at least 2: the first are the last element and the first one
  std::uint32_t pairs = 0;
  Pair pair[kMostPairs] = {};

  XPOSE_ANYWHERE std::uint32_t count() const { return of_pair * pairs; }
};

struct Spot {
  std::int64_t position = 0;  // of the output element, in elements of the pattern
  std::byte* in = nullptr;
  std::byte* out = nullptr;
  ElementBits usual;    // what the patterns say
  ElementBits changed;  // what a right launch moves from in to out
};

// [i < spots.count()]
XPOSE_ANYWHERE inline Spot spot_at(const Spots& spots, std::uint32_t i) {
  const Pattern& pattern = spots.pattern;
  const std::uint32_t k = i % spots.of_pair;
  std::int64_t at[Pattern::kMostDims] = {};
  std::uint64_t hash = mix(spots.seed + i + 1);
  for (int d = 0; d < pattern.rank; ++d) {
    const std::int64_t extent = pattern.dims[d].extent;
    at[d] = k == 0   ? extent - 1
            : k == 1 ? 0
                     : static_cast<std::int64_t>(hash % static_cast<std::uint64_t>(extent));
    hash = mix(hash + 1);
  }
  if (spots.row_dim >= 0) {  // above the diagonal
    std::int64_t& row = at[spots.row_dim];
    std::int64_t& col = at[spots.col_dim];
    const std::int64_t less = row < col ? row : row > col ? col : row > 0 ? row - 1 : 0;
    col = row > col ? row : row == col && row == 0 ? 1 : col;
    row = less;
  }
  Spot spot;
  std::int64_t from = 0;
  for (int d = 0; d < pattern.rank; ++d) {
    spot.position += at[d] * pattern.dims[d].stride;
    const int mate = d == spots.row_dim ? spots.col_dim : d == spots.col_dim ? spots.row_dim : d;
    from +=
        spots.row_dim < 0 ? at[d] * pattern.dims[d].in_stride : at[mate] * pattern.dims[d].stride;
  }
  const Spots::Pair& pair = spots.pair[i / spots.of_pair];
  const auto size = static_cast<std::int64_t>(pattern.element_bytes);
  spot.in = pair.in + spots.in_begin + from * size;
  spot.out = pair.out + pattern.begin + spot.position * size;
  spot.usual = element_at(pattern, spot.position);
  spot.changed = {spot.usual.low ^ spots.flip, spot.usual.high ^ spots.flip};
  return spot;
}

// Element by element, at any address. [a device writes and reads its own memory]
XPOSE_ANYWHERE inline void write_element(std::byte* to, const ElementBits& bits,
                                         std::uint32_t size) {
  for (std::uint32_t b = 0; b < size; ++b)
    to[b] = static_cast<std::byte>((b < 8 ? bits.low : bits.high) >> (b % 8 * 8));
}
XPOSE_ANYWHERE inline bool holds_element(const std::byte* from, const ElementBits& bits,
                                         std::uint32_t size) {
  for (std::uint32_t b = 0; b < size; ++b)
    if (from[b] != static_cast<std::byte>((b < 8 ? bits.low : bits.high) >> (b % 8 * 8)))
      return false;
  return true;
}

XPOSE_ANYWHERE inline void set_spot(const Spots& spots, std::uint32_t i) {
  const Spot spot = spot_at(spots, i);
  write_element(spot.in, spot.changed, spots.pattern.element_bytes);
  write_element(spot.out, spot.usual, spots.pattern.element_bytes);
}
XPOSE_ANYWHERE inline bool is_spot_right(const Spots& spots, std::uint32_t i) {
  const Spot spot = spot_at(spots, i);
  return holds_element(spot.out, spot.changed, spots.pattern.element_bytes);
}

}  // namespace xpose
