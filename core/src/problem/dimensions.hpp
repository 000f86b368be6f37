// A problem as the list of its dimensions, of which rows and columns are two, and its element.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "xpose/problem.hpp"

namespace xpose {

// Whether a strategy may take elements of so many bytes whole: 1, 2, 4, 8, 16, 32, 48, ... 256.
bool is_moved_whole(std::uint64_t bytes);

// The dimensions with an extent other than 1: the rows, the columns, then the batch.
std::vector<BatchDim> dimensions(const Problem& problem);

// Of a dense row-major array, in elements. Throws Error invalid for a negative extent, and a size
// that does not fit in 63 bits.
std::vector<std::int64_t> dense_strides(std::span<const std::int64_t> shape);

// Fuses dimensions that continue each other on both sides, until none does.
void fuse(std::vector<BatchDim>& dims);

// Makes these the dimensions of a problem, whose old ones are dropped. The columns are a dimension
// of input stride 1, the rows that of output stride 1 where no column lies between two elements of
// a row; a dimension that is both is the columns, and then there is one row. The others are the
// batch, the longest first.
void set_dimensions(Problem& problem, std::vector<BatchDim> dims);

}  // namespace xpose
