// The axes of an array before and after a permutation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace xpose::app {

// An order of axes that cannot be read, or that an array does not have, as one sentence that begins
// with the option.
struct AxisError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The permutation of an array in C order: output axis i is input axis axes[i], as in NumPy's
// transpose.
struct PermutedShape {
  std::vector<std::int64_t> shape;      // of the input; an axis that is split is several
  std::vector<std::size_t> parts;       // of each axis of the array: how many of `shape` it is
  std::vector<int> axes;                // of `shape`
  std::vector<std::int64_t> out_shape;  // axes that are merged are one
};

// "2x3x4"; "scalar" where there is no axis.
std::string shape_text(std::span<const std::int64_t> shape);

}  // namespace xpose::app
