#include "xpose/placement.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

#include "placement/axis_index.hpp"

namespace xpose {
namespace {

[[noreturn]] void refuse(const std::string& why) { throw Error(ErrorKind::invalid, why); }

void check_order(Order order, const std::string& of) {
  if (order != Order::row_major && order != Order::column_major)
    refuse(of + " has the order " + std::to_string(static_cast<int>(order)) +
           ", which is none of xpose::Order; state Order::row_major or Order::column_major");
}

// Indices of an axis; sums of two fit.
constexpr std::int64_t kMostIndices = std::int64_t{1} << 60;

void check_extent(std::int64_t extent, std::int64_t parts) {
  if (extent < 0 || extent > kMostIndices)
    refuse("an axis needs an extent of 0 to 2^60, not " + std::to_string(extent));
  if (parts < 1) refuse("an axis is dealt out to at least 1 part, not " + std::to_string(parts));
}

std::vector<int> counted(std::int64_t ranks) {
  if (ranks > std::numeric_limits<int>::max())
    refuse("a grid has at most 2^31 - 1 ranks, not " + std::to_string(ranks));
  std::vector<int> list(static_cast<std::size_t>(ranks));
  std::iota(list.begin(), list.end(), 0);
  return list;
}

void check_axis(const AxisPlacement& axis, const std::string& name) {
  check_extent(axis.extent, axis.parts);
  const std::string of = "the placement of the " + name;
  if (axis.period < 1 || axis.period > kMostIndices)
    refuse(of + " needs a period of 1 to 2^60, not " + std::to_string(axis.period));
  if (axis.intervals.empty() || axis.intervals.front().begin != 0)
    refuse(of + " needs a first interval that begins at 0");
  for (std::size_t i = 0; i < axis.intervals.size(); ++i) {
    const AxisInterval& interval = axis.intervals[i];
    const std::int64_t end =
        i + 1 < axis.intervals.size() ? axis.intervals[i + 1].begin : axis.period;
    if (interval.begin >= end)
      refuse(of + " has an interval that begins at " + std::to_string(interval.begin) +
             " and ends at " + std::to_string(end) + "; leave out what is empty");
    if (interval.part < 0 || interval.part >= axis.parts)
      refuse(of + " gives an interval to part " + std::to_string(interval.part) + " of " +
             std::to_string(axis.parts) + "; parts are counted from 0");
  }
}

void check_ranks(const Placement& placement, int ranks) {
  std::int64_t cells = 0;
  if (__builtin_mul_overflow(placement.rows.parts, placement.cols.parts, &cells) ||
      static_cast<std::uint64_t>(cells) != placement.ranks.size())
    refuse("a grid of " + std::to_string(placement.rows.parts) + 'x' +
           std::to_string(placement.cols.parts) + " parts needs a rank for each cell, not " +
           std::to_string(placement.ranks.size()));
  std::vector<bool> seen(static_cast<std::size_t>(std::max(ranks, 0)), false);
  for (const int rank : placement.ranks) {
    if (rank < 0 || rank >= ranks)
      refuse("a placement names rank " + std::to_string(rank) + ", but there are ranks 0 to " +
             std::to_string(ranks - 1));
    if (seen[static_cast<std::size_t>(rank)])
      refuse("a placement names rank " + std::to_string(rank) +
             " twice; a rank holds one cell of the grid");
    seen[static_cast<std::size_t>(rank)] = true;
  }
}

// Row-major terms for both orders: the outer axis has the leading dimension.
struct Shape {
  std::int64_t outer, inner;
};

Shape shape_of(const Placement& placement, const LocalArray& local) {
  return placement.order == Order::row_major ? Shape{local.rows, local.cols}
                                             : Shape{local.cols, local.rows};
}

// Rows and columns alone.
LocalArray extents_of(const Placement& placement, int rank) {
  const auto cell = std::ranges::find(placement.ranks, rank);
  if (cell == placement.ranks.end()) return {};
  const std::int64_t at = cell - placement.ranks.begin();
  return {local_extent(placement.rows, at / placement.cols.parts),
          local_extent(placement.cols, at % placement.cols.parts), 0};
}

}  // namespace

AxisPlacement slabs(std::int64_t extent, std::int64_t parts) {
  check_extent(extent, parts);
  AxisPlacement axis{extent, parts, std::max<std::int64_t>(extent, 1), {{0, 0}}};
  const std::int64_t shortest = extent / parts, longer = extent % parts;
  for (std::int64_t part = 1; part < std::min(parts, extent); ++part)
    axis.intervals.push_back({part * shortest + std::min(part, longer), part});
  return axis;
}

AxisPlacement blocks(std::int64_t extent, std::int64_t block, std::int64_t parts,
                     std::int64_t first) {
  check_extent(extent, parts);
  if (block < 1) refuse("a block needs 1 index or more, not " + std::to_string(block));
  if (first < 0 || first >= parts)
    refuse("the first block goes to part " + std::to_string(first) + ", but there are parts 0 to " +
           std::to_string(parts - 1));
  AxisPlacement axis{extent, parts, std::max<std::int64_t>(extent, 1), {}};
  block = std::min(block, axis.period);  // so that no product overflows
  const std::int64_t used = std::min(parts, (axis.period + block - 1) / block);
  if (used == parts) axis.period = std::min(axis.period, block * parts);
  for (std::int64_t i = 0; i < used; ++i)
    axis.intervals.push_back({i * block, (first + i) % parts});
  return axis;
}

std::int64_t local_extent(const AxisPlacement& axis, std::int64_t part) {
  return part < 0 || part >= axis.parts ? 0 : AxisIndex(axis).before(part, axis.extent);
}

Placement on_one_rank(std::int64_t rows, std::int64_t cols, std::uint32_t element_bytes, int rank) {
  return {element_bytes, slabs(rows, 1), slabs(cols, 1), {rank}};
}

Placement row_slabs(std::int64_t rows, std::int64_t cols, std::uint32_t element_bytes, int ranks) {
  return {element_bytes, slabs(rows, ranks), slabs(cols, 1), counted(ranks)};
}

Placement column_slabs(std::int64_t rows, std::int64_t cols, std::uint32_t element_bytes,
                       int ranks) {
  return {element_bytes, slabs(rows, 1), slabs(cols, ranks), counted(ranks)};
}

Placement block_cyclic(const BlockCyclic& descriptor, std::uint32_t element_bytes) {
  check_order(descriptor.grid, "the grid of a block-cyclic matrix");
  Placement placement{element_bytes,
                      blocks(descriptor.m, descriptor.mb, descriptor.nprow, descriptor.rsrc),
                      blocks(descriptor.n, descriptor.nb, descriptor.npcol, descriptor.csrc),
                      counted(std::int64_t{descriptor.nprow} * descriptor.npcol),
                      Order::column_major,
                      descriptor.lld};
  if (descriptor.grid == Order::column_major) {
    std::size_t cell = 0;
    for (int row = 0; row < descriptor.nprow; ++row)
      for (int col = 0; col < descriptor.npcol; ++col)
        placement.ranks[cell++] = col * descriptor.nprow + row;
  }
  return placement;
}

void check_placement(const Placement& placement, int ranks, int rank) {
  if (const std::string refusal = element_size_refusal(placement.element_bytes); !refusal.empty())
    refuse("a placement cannot be used: " + refusal);
  check_axis(placement.rows, "rows");
  check_axis(placement.cols, "columns");
  check_ranks(placement, ranks);
  check_order(placement.order, "a placement");
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(placement.rows.extent, placement.cols.extent, &bytes) ||
      __builtin_mul_overflow(bytes, std::int64_t{placement.element_bytes}, &bytes))
    refuse("a matrix of " + std::to_string(placement.rows.extent) + 'x' +
           std::to_string(placement.cols.extent) + " elements has more than 2^63 - 1 bytes");
  if (placement.offset < 0)
    refuse("the offset of a placement is 0 or more, not " + std::to_string(placement.offset));
  const Shape shape = shape_of(placement, extents_of(placement, rank));
  const std::int64_t ld = placement.leading_dimension;
  const bool is_rows = placement.order == Order::row_major;
  if (ld < 0 || (ld != 0 && ld < shape.inner))
    refuse("the leading dimension " + std::to_string(ld) + " of rank " + std::to_string(rank) +
           " is shorter than its " + (is_rows ? "rows" : "columns") + " of " +
           std::to_string(shape.inner) + " elements");
  std::int64_t end = 0;
  if (__builtin_mul_overflow(std::max(ld, shape.inner), shape.outer, &end) ||
      __builtin_add_overflow(end, placement.offset, &end) ||
      end > (std::int64_t{1} << 56) / placement.element_bytes)
    refuse("the array of rank " + std::to_string(rank) +
           " spans more than 2^56 bytes, which no machine addresses");
}

LocalArray local_array(const Placement& placement, int rank) {
  LocalArray local = extents_of(placement, rank);
  if (local.rows == 0 || local.cols == 0) return local;
  const Shape shape = shape_of(placement, local);
  const std::int64_t ld =
      placement.leading_dimension == 0 ? shape.inner : placement.leading_dimension;
  local.elements = placement.offset + (shape.outer - 1) * ld + shape.inner;
  return local;
}

}  // namespace xpose
