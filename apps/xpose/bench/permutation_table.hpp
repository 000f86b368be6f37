// Permutations of axes for `xpose bench`: the public benchmark of tensor transposes, and what
// people run. Data alone.
#pragma once

#include <vector>

#include "bench/standard_table.hpp"

namespace xpose::app {

// A permutation that the library refuses is a cell that says so. [any thread]
std::vector<Cell> permutation_table(DeviceKind kind);

}  // namespace xpose::app
