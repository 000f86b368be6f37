#include "exchange/exchange.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "placement/axis_index.hpp"

namespace xpose {
namespace {

std::string shape_text(std::int64_t rows, std::int64_t cols, std::uint32_t bytes) {
  return std::to_string(rows) + 'x' + std::to_string(cols) + " elements of " +
         std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

const AxisPlacement& to_rows(const Placement& to, bool transpose) {
  return transpose ? to.cols : to.rows;
}

const AxisPlacement& to_cols(const Placement& to, bool transpose) {
  return transpose ? to.rows : to.cols;
}

const Placement& checked(const Placement& from, const Placement& to, bool transpose) {
  const std::int64_t rows = transpose ? from.cols.extent : from.rows.extent;
  const std::int64_t cols = transpose ? from.rows.extent : from.cols.extent;
  if (rows != to.rows.extent || cols != to.cols.extent || from.element_bytes != to.element_bytes)
    throw Error(ErrorKind::invalid,
                "the target placement is of " +
                    shape_text(to.rows.extent, to.cols.extent, to.element_bytes) + ", but the " +
                    (transpose ? "transpose of the " : "") + "source is of " +
                    shape_text(rows, cols, from.element_bytes));
  return from;
}

std::vector<std::int64_t> cells_of(const Placement& placement) {
  std::vector<std::int64_t> cells;
  for (std::size_t cell = 0; cell < placement.ranks.size(); ++cell) {
    const auto rank = static_cast<std::size_t>(placement.ranks[cell]);
    if (rank >= cells.size()) cells.resize(rank + 1, -1);
    cells[rank] = static_cast<std::int64_t>(cell);
  }
  return cells;
}

std::int64_t cell_of(const std::vector<std::int64_t>& cells, int rank) {
  return static_cast<std::size_t>(rank) < cells.size() ? cells[static_cast<std::size_t>(rank)] : -1;
}

// From one row of the array to the next, and from one column to the next.
Strides strides_of(const Placement& placement, int rank) {
  const LocalArray local = local_array(placement, rank);
  const bool is_rows = placement.order == Order::row_major;
  const std::int64_t ld = placement.leading_dimension != 0 ? placement.leading_dimension
                          : is_rows                        ? local.cols
                                                           : local.rows;
  return is_rows ? Strides{{ld, 1}, placement.offset} : Strides{{1, ld}, placement.offset};
}

// The indices that the parts of a placement hold, by the source's axes.
class Sides {
 public:
  Sides(const AxisPlacement& rows, const AxisPlacement& cols)
      : rows_(AxisIndex(rows).of_parts()), cols_(AxisIndex(cols).of_parts()) {}

  std::int64_t elements(const Exchange::Cell& cell) const {
    return rows_[static_cast<std::size_t>(cell.rows)] * cols_[static_cast<std::size_t>(cell.cols)];
  }

 private:
  std::vector<std::int64_t> rows_, cols_;
};

std::array<SharedIndices, 2> axes_of(const Message& message, const Box& box) {
  const auto axis = [&](std::size_t i) {
    const SharedIndices& whole = *message.shared[i];
    return box.extent(static_cast<int>(i)) == whole.extent
               ? whole
               : clipped(whole, box.begin[i], box.end[i]);
  };
  return {axis(0), axis(1)};
}

TileSide packed(const Message& message, const Box& box) {
  const std::int64_t line = box.extent(message.fast);
  Strides strides{{line, line}};
  strides.axis[static_cast<std::size_t>(message.fast)] = 1;
  return {Place::packed, strides};
}

}  // namespace

void check_named(const Placement& placement) {
  const int most = placement.ranks.empty() ? 0 : std::ranges::max(placement.ranks);
  check_placement(placement, std::max(most, 0) + 1, -1);
}

Exchange::Exchange(const Placement& from, const Placement& to, bool transpose)
    : from_(checked(from, to, transpose)),
      to_(to),
      transpose_(transpose),
      rows_(from_.rows, to_rows(to_, transpose)),
      cols_(from_.cols, to_cols(to_, transpose)),
      fast_((to.order == Order::row_major) == transpose ? 0 : 1),
      from_cells_(cells_of(from)),
      to_cells_(cells_of(to)) {}

void Exchange::lay_out(int rank) {
  from_strides_ = strides_of(from_, rank);
  to_strides_ = target_strides(rank, to_.leading_dimension, to_.offset);
}

Strides Exchange::target_strides(int rank, std::int64_t leading_dimension,
                                 std::int64_t offset) const {
  Placement own = to_;
  own.leading_dimension = leading_dimension;
  own.offset = offset;
  Strides strides = strides_of(own, rank);
  if (transpose_) std::swap(strides.axis[0], strides.axis[1]);
  return strides;
}

int Exchange::ranks() const {
  return static_cast<int>(std::max(from_cells_.size(), to_cells_.size()));
}

std::optional<Exchange::Cell> Exchange::from_cell(int rank) const {
  const std::int64_t cell = cell_of(from_cells_, rank);
  if (cell < 0) return std::nullopt;
  return Cell{cell / from_.cols.parts, cell % from_.cols.parts};
}

std::optional<Exchange::Cell> Exchange::to_cell(int rank) const {
  const std::int64_t cell = cell_of(to_cells_, rank);
  return cell < 0 ? std::nullopt : std::optional(to_cell_at(cell));
}

Exchange::Cell Exchange::to_cell_at(std::int64_t cell) const {
  const Cell own{cell / to_.cols.parts, cell % to_.cols.parts};
  return transpose_ ? Cell{own.cols, own.rows} : own;
}

int Exchange::from_rank(const Cell& cell) const {
  return from_.ranks[static_cast<std::size_t>(cell.rows * from_.cols.parts + cell.cols)];
}

int Exchange::to_rank(const Cell& cell) const {
  const Cell own = transpose_ ? Cell{cell.cols, cell.rows} : cell;
  return to_.ranks[static_cast<std::size_t>(own.rows * to_.cols.parts + own.cols)];
}

Message Exchange::message(int rank, const Cell& from, const Cell& to) const {
  return {rank, {&rows_.shared(from.rows, to.rows), &cols_.shared(from.cols, to.cols)}, fast_};
}

std::vector<Message> Exchange::sends(int rank) const {
  std::vector<Message> messages;
  const std::optional<Cell> from = from_cell(rank);
  if (!from) return messages;
  for (const std::int64_t row : rows_.to_parts(from->rows))
    for (const std::int64_t col : cols_.to_parts(from->cols))
      if (const int other = to_rank({row, col}); other != rank)
        messages.push_back(message(other, *from, {row, col}));
  return messages;
}

std::vector<Message> Exchange::receives(int rank) const {
  std::vector<Message> messages;
  const std::optional<Cell> to = to_cell(rank);
  if (!to) return messages;
  for (const std::int64_t row : rows_.from_parts(to->rows))
    for (const std::int64_t col : cols_.from_parts(to->cols))
      if (const int other = from_rank({row, col}); other != rank)
        messages.push_back(message(other, {row, col}, *to));
  return messages;
}

std::optional<Message> Exchange::kept(int rank) const {
  const std::optional<Cell> from = from_cell(rank), to = to_cell(rank);
  if (!from || !to) return std::nullopt;
  const Message own = message(rank, *from, *to);
  return own.elements() == 0 ? std::nullopt : std::optional(own);
}

std::int64_t Exchange::would_stay(int rank, std::size_t cell) const {
  const std::optional<Cell> from = from_cell(rank);
  return from ? message(rank, *from, to_cell_at(static_cast<std::int64_t>(cell))).elements() : 0;
}

// By products over the axes: a pair of ranks is not looked at.
RouteFigures Exchange::figures() const {
  RouteFigures all;
  const std::int64_t bytes = element_bytes();
  const Sides sent{from_.rows, from_.cols};
  const Sides received{to_rows(to_, transpose_), to_cols(to_, transpose_)};
  const auto add = [&](int rank, const Cell& cell, bool is_sent) {
    const auto& rows = is_sent ? rows_.to_parts(cell.rows) : rows_.from_parts(cell.rows);
    const auto& cols = is_sent ? cols_.to_parts(cell.cols) : cols_.from_parts(cell.cols);
    const std::int64_t held = (is_sent ? sent : received).elements(cell);
    const std::optional<Message> own = kept(rank);
    const std::int64_t stays = own ? own->elements() : 0;
    const auto messages = static_cast<std::int64_t>(rows.size() * cols.size()) - (own ? 1 : 0);
    all.most_messages = std::max(all.most_messages, messages);
    all.most_bytes = std::max(all.most_bytes, (held - stays) * bytes);
    if (!is_sent) return;
    all.messages += messages;
    all.bytes_sent += (held - stays) * bytes;
    all.bytes_kept += stays * bytes;
  };
  for (const int rank : from_.ranks) add(rank, *from_cell(rank), true);
  for (const int rank : to_.ranks) add(rank, *to_cell(rank), false);
  return all;
}

std::vector<Tile> Exchange::packing(const Message& message, const Box& box) const {
  return tiles(axes_of(message, box), {Place::from, from_strides_}, packed(message, box),
               element_bytes());
}

std::vector<Tile> Exchange::unpacking(const Message& message, const Box& box) const {
  return unpacking(message, box, to_strides_);
}

std::vector<Tile> Exchange::unpacking(const Message& message, const Box& box,
                                      const Strides& target) const {
  return tiles(axes_of(message, box), packed(message, box), {Place::to, target}, element_bytes());
}

std::vector<Rectangle> Exchange::sending(const Message& message, const Box& box,
                                         const Strides& target) const {
  return rectangles(axes_of(message, box), fast_, packed(message, box).strides, target);
}

Exchange::Pieces Exchange::pieces(const Message& message) const {
  Pieces all{1, message.line()};
  for (std::size_t axis = 0; axis < message.shared.size(); ++axis) {
    std::int64_t count = 0;
    for (const AxisRun& run : runs(*message.shared[axis], Place::packed, Place::to)) {
      count += run.repeats * run.count;
      if (axis == static_cast<std::size_t>(fast_))
        all.shortest = std::min(all.shortest, run.extent);
    }
    all.count *= count;
  }
  return all;
}

std::vector<Tile> Exchange::moving(const Message& message, const Box& box) const {
  return pushing(message, box, to_strides_);
}

std::vector<Tile> Exchange::pushing(const Message& message, const Box& box,
                                    const Strides& target) const {
  return tiles(axes_of(message, box), {Place::from, from_strides_}, {Place::to, target},
               element_bytes());
}

std::optional<Tile> Exchange::turning(const Message& kept, std::int64_t begin,
                                      std::int64_t end) const {
  // Of other elements, strategies in place ask for more than that they are kept whole.
  if (element_bytes() > 16 || !std::has_single_bit(element_bytes())) return std::nullopt;
  const std::array axes = axes_of(kept, {{begin, begin}, {end, end}});
  const auto row = begin_of_run(axes[0], Place::from), col = begin_of_run(axes[1], Place::from);
  if (!row || !col) return std::nullopt;
  const auto [down, across] = from_strides_.axis;
  Problem square = matrix(end - begin, end - begin, element_bytes());
  square.in_ld = square.out_ld = std::max(down, across);
  square.in_place = true;
  const std::int64_t at = from_strides_.offset + *row * down + *col * across;
  return Tile{square, at, at};
}

}  // namespace xpose
