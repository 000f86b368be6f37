// The problems that every strategy must solve exactly.
#pragma once

#include <vector>

#include "xpose/conformance.hpp"

namespace xpose {

// Small problems, in the callers' form, for one element size. For transposes: shapes that are
// awkward for tiles of 16 to 128, leading dimensions, batches, misaligned bases. Fat elements: the
// same kinds, in fewer and smaller shapes.
std::vector<Problem> conformance_problems(std::uint32_t element_bytes, Device device);

}  // namespace xpose
