// The permutation of a file's array as its bytes see it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "axes/permuted_shape.hpp"
#include "npy/npy.hpp"
#include "run/band_plan.hpp"

namespace xpose::app {

// An array in C order, and the order of its axes in the output, as in NumPy's transpose.
struct DenseArray {
  std::vector<std::int64_t> extents = {};  // elements, the outermost first
  std::vector<int> axes = {};              // output axis i is input axis axes[i]
  std::uint64_t item_bytes = 0;
  bool operator==(const DenseArray&) const = default;
  std::uint64_t bytes() const;
};

// The same move of bytes with as few axes as there can be: none of one element, no two that stay
// together. An axis that is innermost on both sides is part of the element where the library serves
// such elements. At most one axis is left where the bytes keep their order.
DenseArray folded(DenseArray array);

// A dense array in one file, and its permutation in another.
struct FilePermutation {
  DenseArray array;             // folded
  std::uint64_t in_offset = 0;  // bytes from the start of the file to element 0
  std::uint64_t out_offset = 0;
};

// header: of an array that is not empty. permuted: of its shape, whatever the order of its bytes.
FilePermutation file_permutation(const NpyHeader& header, const PermutedShape& permuted,
                                 std::uint64_t out_offset);

// Nothing where a permutation is more than the transpose of a matrix. A copy is a matrix of one
// row.
std::optional<FileMatrix> as_matrix(const FilePermutation& file);

}  // namespace xpose::app
