// A smaller problem whose trials tell the fastest strategy of a large one. Pure logic.
#pragma once

#include <cstdint>
#include <optional>

#include "tuning/race_policy.hpp"
#include "xpose/xpose.hpp"

namespace xpose {

// [normal form, not empty] The largest problem of the same class that this finds whose buffers take
// at most `bytes` (Arena::footprint). Nothing where the problem cannot become so small without
// leaving its class.
//   - Element size, batch rank and alignments stay.
//   - Batch dimensions become shorter first (RacePolicy::least_batches), then the sides by one
//     factor: a square stays square, and a short side stays as it is.
//   - Dense strides stay dense.
//   - A row begins at the same offset in a page as before.
//   - A leading dimension that is a multiple of a page keeps as large a power of two as there is
//     room for, up to RacePolicy::widest_stride_bytes: its rows still meet in the same sets of a
//     cache.
std::optional<Problem> stand_in(const Problem& normal, std::uint64_t bytes,
                                const RacePolicy& policy = {});

}  // namespace xpose
