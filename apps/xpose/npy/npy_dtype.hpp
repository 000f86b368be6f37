// The dtype of a .npy header: '<f4', or a list of fields for a structured one.
#pragma once

#include <cstdint>

#include "npy/python_literal.hpp"

namespace xpose::app {

// Bytes of one element of the dtype that the 'descr' of a header names.
// Throws std::runtime_error for a dtype that NumPy does not write, that holds Python objects, or
// whose element exceeds 2^31 - 1 bytes.
std::uint64_t item_bytes(const Literal& descr);

}  // namespace xpose::app
