#include "kept.hpp"

#include <algorithm>
#include <cstdlib>

namespace cuda_permute {
namespace {

Kept::Piece piece(int64_t bytes) {
  // A run may begin with the last byte of a word.
  const int64_t words = std::max<int64_t>((bytes + 2 * kKeptWord - 2) / kKeptWord, 2);
  return {static_cast<uint32_t>(bytes), static_cast<uint32_t>(words), division_by(words)};
}

}  // namespace

Kept kept(const Cut& cut, bool along_input) {
  Kept to{};
  const Parts parts(cut, add_steps(cut, along_input, to.step, to.steps));
  const int64_t bytes = cut.form().bytes;
  to.element_bytes = bytes;
  to.pieces = 1;
  to.piece = piece(bytes);
  for (const int number : by_output(parts.axes)) {
    const auto at = static_cast<size_t>(number);
    const Axis& axis = parts.axes[at];
    if (axis.in == 1 && axis.out == 1) {
      to.piece = piece(axis.extent * bytes);
      to.cut = parts.cut[at];
      if (to.cut != 0) to.last_piece = piece(parts.left[at] * bytes);
      continue;
    }
    const auto extent = static_cast<uint32_t>(axis.extent);
    to.pieces *= extent;
    to.axis[to.axes++] = {.in = axis.in * bytes,
                          .out = axis.out * bytes,
                          .by_extent = division_by(axis.extent),
                          .extent = extent,
                          .cut = parts.cut[at],
                          .left = static_cast<uint32_t>(parts.left[at])};
  }
  to.end = bytes;
  for (const Axis& axis : cut.form().axes)
    (axis.in < 0 ? to.low : to.end) += std::abs(axis.in) * (axis.extent - 1) * bytes;
  return to;
}

}  // namespace cuda_permute
