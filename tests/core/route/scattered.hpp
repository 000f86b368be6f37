// A matrix scattered over ranks by a loop over its elements, and drawn placements. It shares no
// code with the library: every index is counted.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "xpose/placement.hpp"

namespace xpose {

// The part and the local index of every index of an axis.
struct CountedAxis {
  explicit CountedAxis(const AxisPlacement& axis) : held(static_cast<std::size_t>(axis.parts)) {
    for (std::int64_t index = 0; index < axis.extent; ++index) {
      std::int64_t part = 0;
      for (const AxisInterval& interval : axis.intervals)
        if (interval.begin <= index % axis.period) part = interval.part;
      parts.push_back(part);
      local.push_back(held[static_cast<std::size_t>(part)]++);
    }
  }
  std::vector<std::int64_t> held, parts, local;
};

class Scattered {
 public:
  explicit Scattered(const Placement& placement)
      : placement_(placement), rows_(placement.rows), cols_(placement.cols) {}

  int owner(std::int64_t row, std::int64_t col) const {
    const auto r = static_cast<std::size_t>(row), c = static_cast<std::size_t>(col);
    return placement_
        .ranks[static_cast<std::size_t>(rows_.parts[r] * placement_.cols.parts + cols_.parts[c])];
  }

  // The array of a rank with the elements of the matrix, or of its transpose, and with bytes 0xa5
  // where there is none.
  std::vector<std::byte> array(const Placement& own, int rank, bool transposed) const {
    const auto bytes = static_cast<std::size_t>(own.element_bytes);
    const LocalArray local = local_array(own, rank);
    std::vector<std::byte> memory(static_cast<std::size_t>(local.elements + 3) * bytes,
                                  std::byte{0xa5});
    for (std::int64_t row = 0; row < own.rows.extent; ++row)
      for (std::int64_t col = 0; col < own.cols.extent; ++col) {
        if (owner(row, col) != rank) continue;
        put(memory.data() + place(own, rank, row, col) * bytes, bytes, transposed ? col : row,
            transposed ? row : col);
      }
    return memory;
  }

  // The element of the matrix in the array of the rank that holds it.
  std::size_t place(const Placement& own, int rank, std::int64_t row, std::int64_t col) const {
    const LocalArray local = local_array(own, rank);
    const std::int64_t r = rows_.local[static_cast<std::size_t>(row)];
    const std::int64_t c = cols_.local[static_cast<std::size_t>(col)];
    const bool is_rows = own.order == Order::row_major;
    const std::int64_t inner = is_rows ? local.cols : local.rows;
    const std::int64_t ld = own.leading_dimension == 0 ? inner : own.leading_dimension;
    return static_cast<std::size_t>(own.offset + (is_rows ? r * ld + c : c * ld + r));
  }

 private:
  static void put(std::byte* element, std::size_t bytes, std::int64_t row, std::int64_t col) {
    auto bits = static_cast<std::uint64_t>(row) * 0x9e3779b97f4a7c15 +
                static_cast<std::uint64_t>(col) * 0xc2b2ae3d27d4eb4f + 1;
    for (std::size_t i = 0; i < bytes; ++i, bits = bits * 6364136223846793005 + 1442695040888963407)
      element[i] = static_cast<std::byte>(bits >> 56);
  }

  const Placement placement_;
  CountedAxis rows_, cols_;
};

// The elements that must be sent, and the pairs of ranks between which they go.
struct LeastTraffic {
  LeastTraffic(const Placement& from, const Placement& to, bool transpose) {
    const Scattered source(from), target(to);
    for (std::int64_t row = 0; row < from.rows.extent; ++row)
      for (std::int64_t col = 0; col < from.cols.extent; ++col) {
        const int before = source.owner(row, col);
        const int after = transpose ? target.owner(col, row) : target.owner(row, col);
        if (before == after) {
          ++stays;
        } else {
          ++moves;
          pairs.emplace(before, after);
        }
      }
  }
  std::int64_t moves = 0, stays = 0;
  std::set<std::pair<int, int>> pairs;
};

// Placements by chance.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}

  std::int64_t number(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random_);
  }
  bool coin() { return number(0, 1) == 1; }

  // Mostly block-cyclic; over a grid of at most `ranks` cells, in any order of the ranks.
  Placement placement(std::int64_t rows, std::int64_t cols, std::uint32_t bytes, int ranks) {
    const std::int64_t height = number(1, ranks), width = number(1, ranks / height);
    Placement drawn{bytes, axis(rows, height), axis(cols, width), {}};
    std::vector<int> order(static_cast<std::size_t>(ranks));
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
    std::shuffle(order.begin(), order.end(), random_);
    drawn.ranks.assign(order.begin(), order.begin() + height * width);
    drawn.order = coin() ? Order::row_major : Order::column_major;
    return drawn;
  }

  // The same, with a leading dimension and an offset of the rank's own.
  Placement own(Placement placement, int rank) {
    const LocalArray local = local_array(placement, rank);
    const bool is_rows = placement.order == Order::row_major;
    if (coin()) placement.leading_dimension = (is_rows ? local.cols : local.rows) + number(0, 3);
    placement.offset = number(0, 2);
    return placement;
  }

 private:
  AxisPlacement axis(std::int64_t extent, std::int64_t parts) {
    return number(0, 3) == 0 ? slabs(extent, parts)
                             : blocks(extent, number(1, 9), parts, number(0, parts - 1));
  }

  std::mt19937_64 random_;
};

}  // namespace xpose
