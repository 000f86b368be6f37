// Whether the elements of two arrays that lie in one memory share bytes, as parts of one array may
// interleave without.
#pragma once

#include <cstdint>
#include <span>

#include "xpose/problem.hpp"

namespace xpose {

// [normal form, not empty, not in place] Whether a byte is both read and written where the lowest
// element that is written lies `bytes` behind the lowest that is read. A depth-first search for a
// solution of a bounded Diophantine equation, as NumPy's shares_memory() makes: exact for slices of
// one array; true where the search becomes long. `steps`: dimensions of which each index is such a
// problem, with strides in bytes.
bool may_meet(const Problem& problem, std::int64_t bytes, std::span<const BatchDim> steps = {});

// Whether two elements of an output with these dimensions have one place, by the same search.
enum class Overlap { none, found, unknown };
Overlap output_overlap(std::span<const BatchDim> dims);

}  // namespace xpose
