// A smaller problem whose trials tell which strategy is the fastest on a large one. Pure logic.
#pragma once

#include <cstdint>
#include <optional>

#include "xpose/xpose.hpp"

namespace xpose {

// [normal form, not empty] A problem of the same class whose buffers take at most `bytes`
// (Arena::footprint), as large as it may be. It has the same element size, batch rank and
// alignments. Batch dimensions become shorter first, then the sides, by one factor: a square stays
// square, a short side stays as it is. Dense strides stay dense. Every other row still begins at
// the same offset in a page, and where a leading dimension is a multiple of a page, at as large a
// power of two as there is room for, so that rows still meet in the same sets of a cache. Nothing
// where the problem cannot be made so small without leaving its class.
std::optional<Problem> stand_in(const Problem& normal, std::uint64_t bytes);

}  // namespace xpose
