// Where the elements of a matrix lie that several ranks hold. Without a tag: [any thread], see
// xpose.hpp.
#pragma once

#include <cstdint>
#include <vector>
#include <xpose/problem.hpp>

namespace xpose {

// Indices of an axis, from `begin` to the begin of the next interval.
struct AxisInterval {
  std::int64_t begin = 0;  // from 0 on
  std::int64_t part = 0;   // that holds them, from 0 on
  bool operator==(const AxisInterval&) const = default;
};

// One axis of a matrix, dealt out to parts. A part keeps its indices in their order and without
// gaps: the local index of an element is the number of the part's indices before it.
struct AxisPlacement {
  std::int64_t extent = 0;  // indices
  std::int64_t parts = 1;   // some may hold no index
  std::int64_t period = 1;  // indices after which the intervals begin again; at least 1
  // Of one period: the first begins at 0, each other after the one before it.
  std::vector<AxisInterval> intervals = {{0, 0}};
  bool operator==(const AxisPlacement&) const = default;
};

// An axis of `extent` indices, dealt out to `parts` slabs in their order; the first slabs are
// longer by one where the extent is no multiple. Throws Error invalid for a negative extent or no
// part.
XPOSE_API AxisPlacement slabs(std::int64_t extent, std::int64_t parts);

// An axis of `extent` indices, dealt out in blocks of `block` indices to `parts` parts in turn, the
// first block to part `first`. Throws Error invalid for a negative extent, a block or a number of
// parts less than 1, and a first part that is none.
XPOSE_API AxisPlacement blocks(std::int64_t extent, std::int64_t block, std::int64_t parts,
                               std::int64_t first = 0);

// The indices that a part holds; 0 for a part that is none.
XPOSE_API std::int64_t local_extent(const AxisPlacement& axis, std::int64_t part);

// The order of elements in memory: the columns of a row side by side, or the rows of a column.
enum class Order { row_major, column_major };

// Where a matrix lies. Rows and columns are dealt out apart: part r of the rows and part c of the
// columns meet in one cell of a grid. A rank holds the rows and columns of its cell as one array.
//
//   // 10000 x 6000 doubles in blocks of 64 x 64 over ranks 0 to 5 as a 2 x 3 grid:
//   xpose::Placement p = xpose::block_cyclic({.m = 10000, .n = 6000, .mb = 64, .nb = 64,
//                                             .nprow = 2, .npcol = 3}, 8);
//
// All ranks state the same, except for leading dimension and offset: these are of the own array.
struct Placement {
  std::uint32_t element_bytes = 4;  // 1 to 256
  AxisPlacement rows = {};
  AxisPlacement cols = {};
  // (rows.parts, cols.parts), row-major: the rank that holds a cell. A rank holds at most one.
  std::vector<int> ranks = {0};
  Order order = Order::row_major;      // of every rank's array
  std::int64_t leading_dimension = 0;  // elements from one row (column-major: column) of this
                                       // rank's array to the next; 0: they follow each other
  std::int64_t offset = 0;             // elements from the address to the array's element (0, 0)
  bool operator==(const Placement&) const = default;
};

// The whole matrix on one rank.
XPOSE_API Placement on_one_rank(std::int64_t rows, std::int64_t cols, std::uint32_t element_bytes,
                                int rank = 0);

// Rows in slabs over ranks 0 to `ranks` - 1, and columns likewise. Both throw as slabs() does.
XPOSE_API Placement row_slabs(std::int64_t rows, std::int64_t cols, std::uint32_t element_bytes,
                              int ranks);
XPOSE_API Placement column_slabs(std::int64_t rows, std::int64_t cols, std::uint32_t element_bytes,
                                 int ranks);

// A matrix as ScaLAPACK's array descriptor and its process grid state it; see "The Two-dimensional
// Block-Cyclic Distribution" in the ScaLAPACK Users' Guide.
struct BlockCyclic {
  std::int64_t m = 0;             // rows
  std::int64_t n = 0;             // columns
  std::int64_t mb = 1;            // rows of a block
  std::int64_t nb = 1;            // columns of a block
  int rsrc = 0;                   // the grid row that holds the first row
  int csrc = 0;                   // the grid column that holds the first column
  std::int64_t lld = 0;           // leading dimension of the own array; 0: its rows
  int nprow = 1;                  // rows of the process grid
  int npcol = 1;                  // columns of the process grid
  Order grid = Order::row_major;  // of ranks 0, 1, ... in the process grid, as BLACS counts them
};

// The placement of a block-cyclic matrix, with column-major arrays. Throws as blocks() does, and
// where `grid` is no Order.
XPOSE_API Placement block_cyclic(const BlockCyclic& descriptor, std::uint32_t element_bytes);

// Throws Error invalid where the placement is malformed, a rank is not in 0 to `ranks` - 1 or is
// named twice, or the leading dimension is shorter than the rows (column-major: columns) of `rank`.
XPOSE_API void check_placement(const Placement& placement, int ranks, int rank);

// The array of a rank: its rows, its columns, and the elements from the address to its end, which
// a buffer must have. All are 0 where the rank holds no cell.
struct LocalArray {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t elements = 0;
  bool operator==(const LocalArray&) const = default;
};

// The array of `rank`, which is the rank whose leading dimension and offset the placement has.
XPOSE_API LocalArray local_array(const Placement& placement, int rank);

}  // namespace xpose
