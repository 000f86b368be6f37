// The indices of one axis that each part of one placement shares with each part of another: the
// intersections of their intervals, within one common period.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "xpose/placement.hpp"

namespace xpose {

// Indices that lie side by side in both parts. `packed` counts the indices that the two parts share
// and that come before.
struct Piece {
  std::int64_t extent, from, to, packed;
  bool operator==(const Piece&) const = default;
};

// Pieces that repeat: each time all places move on by their steps.
struct PieceGroup {
  std::vector<Piece> pieces;
  std::int64_t repeats = 1, from_step = 0, to_step = 0, packed_step = 0;
  bool operator==(const PieceGroup&) const = default;
};

// The indices that two parts share, in their order.
struct SharedIndices {
  std::int64_t extent = 0;
  std::vector<PieceGroup> groups;
};

// Those of packed indices `begin` to `end`, counted from `begin`.
SharedIndices clipped(const SharedIndices& whole, std::int64_t begin, std::int64_t end);

class AxisOverlap {
 public:
  // The axes are well-formed and have one extent. Throws Error invalid for too many pieces.
  AxisOverlap(const AxisPlacement& from, const AxisPlacement& to);

  // Nothing where the two parts share nothing.
  const SharedIndices& shared(std::int64_t from_part, std::int64_t to_part) const;

  std::size_t from_part_count() const { return to_parts_.size(); }
  std::size_t to_part_count() const { return from_parts_.size(); }

  // The parts that share indices with one of the other placement, in their order.
  const std::vector<std::int64_t>& to_parts(std::int64_t from_part) const {
    return to_parts_[static_cast<std::size_t>(from_part)];
  }
  const std::vector<std::int64_t>& from_parts(std::int64_t to_part) const {
    return from_parts_[static_cast<std::size_t>(to_part)];
  }

 private:
  class Walk;

  std::map<std::pair<std::int64_t, std::int64_t>, SharedIndices> shared_;  // by parts: from, to
  std::vector<std::vector<std::int64_t>> to_parts_, from_parts_;
};

}  // namespace xpose
