// The messages between ranks that lead from one placement to another. A cell of the source and a
// cell of the target share the product of the indices that their rows share and of those that their
// columns share, so that each axis is intersected alone.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "exchange/overlap.hpp"
#include "exchange/tiles.hpp"
#include "xpose/route.hpp"

namespace xpose {

// Indices that a message shares: from `begin` to `end` of its rows, and of its columns.
struct Box {
  std::array<std::int64_t, 2> begin{}, end{};

  std::int64_t extent(int axis) const {
    const auto at = static_cast<std::size_t>(axis);
    return end[at] - begin[at];
  }
  std::int64_t elements() const { return extent(0) * extent(1); }
};

// The elements that one rank has for another. On its way a box of it is a dense matrix in the
// target's order: lines of elements that follow each other in a line of the target.
struct Message {
  int rank = 0;                                // the other one
  std::array<const SharedIndices*, 2> shared;  // of the source's rows, of its columns
  int fast = 1;                                // the axis within a line

  std::int64_t line() const { return shared[static_cast<std::size_t>(fast)]->extent; }
  std::int64_t lines() const { return shared[static_cast<std::size_t>(1 - fast)]->extent; }
  std::int64_t elements() const { return line() * lines(); }

  Box box() const { return {{0, 0}, {shared[0]->extent, shared[1]->extent}}; }
  Box box_of_lines(std::int64_t first, std::int64_t last) const {
    Box box = this->box();
    box.begin[static_cast<std::size_t>(1 - fast)] = first;
    box.end[static_cast<std::size_t>(1 - fast)] = last;
    return box;
  }
};

// As check_placement(), as far as no number of ranks is known and no rank has an array.
void check_named(const Placement& placement);

class Exchange {
 public:
  // The placements are well-formed. Throws Error invalid where they are of different matrices, or
  // cut an axis into too many pieces.
  Exchange(const Placement& from, const Placement& to, bool transpose);

  // The messages of a rank, in the order of the other ranks' cells; none with itself.
  std::vector<Message> sends(int rank) const;
  std::vector<Message> receives(int rank) const;
  std::optional<Message> kept(int rank) const;  // the elements that a rank has for itself

  // The elements that a rank would keep if it held that cell of the target's grid.
  std::int64_t would_stay(int rank, std::size_t cell) const;

  RouteFigures figures() const;

  int ranks() const;  // one more than the last that holds a cell

  // A cell of a placement by its parts of the source's axes; nothing for a rank that holds none.
  struct Cell {
    std::int64_t rows, cols;
  };
  std::optional<Cell> from_cell(int rank) const;
  std::optional<Cell> to_cell(int rank) const;

  // Of the source's rows (0) or columns (1).
  const AxisOverlap& overlap(int axis) const { return axis == 0 ? rows_ : cols_; }
  // The source's axes along which a line of the source, and of the target, runs.
  int from_fast() const { return from_.order == Order::row_major ? 1 : 0; }
  int to_fast() const { return fast_; }

  // The tiles for a box of a message: from the array of the placement `from` into the dense lines,
  // from these into the array of `to`, and at once from the one into the other.
  std::vector<Tile> packing(const Message& message, const Box& box) const;
  std::vector<Tile> unpacking(const Message& message, const Box& box) const;
  std::vector<Tile> moving(const Message& message, const Box& box) const;

  // As moving() and unpacking(), into the array of the message's rank.
  std::vector<Tile> pushing(const Message& message, const Box& box, const Strides& target) const;
  std::vector<Tile> unpacking(const Message& message, const Box& box, const Strides& target) const;
  // From the dense lines into the array of the message's rank.
  std::vector<Rectangle> sending(const Message& message, const Box& box,
                                 const Strides& target) const;
  // How many these are of the whole message, and the elements of the shortest run.
  struct Pieces {
    std::int64_t count, shortest;
  };
  Pieces pieces(const Message& message) const;

  // The problem in place for the shared indices `begin` to `end`, of rows and columns alike, of the
  // elements that a rank keeps in a route in place. Nothing where they are no square in its array,
  // or of a size that not all of a device's strategies in place serve.
  std::optional<Tile> turning(const Message& kept, std::int64_t begin, std::int64_t end) const;

  // Of the target array of a rank with this leading dimension and offset, by the source's axes.
  Strides target_strides(int rank, std::int64_t leading_dimension, std::int64_t offset) const;

  // Of the arrays of one rank, whose leading dimensions and offsets the placements have. Before the
  // tiles.
  void lay_out(int rank);

  std::uint32_t element_bytes() const { return from_.element_bytes; }

 private:
  Cell to_cell_at(std::int64_t cell) const;
  int from_rank(const Cell& cell) const;
  int to_rank(const Cell& cell) const;
  Message message(int rank, const Cell& from, const Cell& to) const;

  Placement from_, to_;
  bool transpose_;
  AxisOverlap rows_, cols_;  // of the source
  int fast_;                 // the source's axis that a line of the target runs along
  Strides from_strides_{}, to_strides_{};
  std::vector<std::int64_t> from_cells_, to_cells_;  // by rank; -1: none
};

}  // namespace xpose
