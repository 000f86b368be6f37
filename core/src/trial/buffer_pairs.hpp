// The pairs of buffers that a trial needs for samples with cold caches.
#pragma once

#include <cstddef>

#include "device/device.hpp"
#include "xpose/xpose.hpp"

namespace xpose {

// Whether a sample is one call on one pair of buffers, which leaves nothing of itself in a cache.
// [normal form]
bool is_cold_alone(Backend& backend, const Problem& problem);

// One pair for warm caches, or where a sample is cold alone; else so many that a pair is cold when
// its turn comes again, in half of the free memory. Throws Error no_memory where one pair does not
// fit. [normal form]
std::size_t pair_count(Backend& backend, const Problem& problem, bool warm);

}  // namespace xpose
