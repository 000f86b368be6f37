#include "bulk.hpp"

#include <vector>

namespace cuda_permute {
namespace {

Pieces pieces(const Parts& parts, const std::vector<int>& order, int64_t Axis::*stride,
              const std::vector<int64_t>& places, int64_t element_bytes) {
  Pieces to{};
  to.count = 1;
  to.bytes = to.last_bytes = static_cast<uint32_t>(element_bytes);
  bool goes_on = true;
  for (const int number : order) {
    const auto at = static_cast<size_t>(number);
    const Axis& axis = parts.axes[at];
    goes_on = goes_on && axis.*stride * element_bytes == to.bytes && places[at] == to.bytes;
    if (!goes_on) {
      to.count *= static_cast<uint32_t>(axis.extent);
      to.axis[to.axes++] = parts.tile_axis(number, stride, places[at]);
      continue;
    }
    to.cut = parts.cut[at];
    to.last_bytes = to.bytes * static_cast<uint32_t>(to.cut != 0 ? parts.left[at] : axis.extent);
    to.bytes *= static_cast<uint32_t>(axis.extent);
    goes_on = to.cut == 0;  // the last tile has gaps behind it
  }
  return to;
}

}  // namespace

Bulk bulk(const Cut& cut, bool along_input) {
  Bulk to{};
  const Parts parts(cut, add_steps(cut, along_input, to.step, to.steps));
  const int64_t bytes = cut.form().bytes;
  const std::vector<int> by_in = by_input(parts.axes);
  std::vector<int64_t> places(parts.axes.size(), 0);
  int64_t end = bytes;
  for (const int number : by_in) {
    const auto at = static_cast<size_t>(number);
    places[at] = end;
    end *= parts.axes[at].extent;
  }
  to.tile_bytes = static_cast<uint32_t>(end);
  to.load = pieces(parts, by_in, &Axis::in, places, bytes);
  to.store = pieces(parts, by_output(parts.axes), &Axis::out, places, bytes);
  return to;
}

}  // namespace cuda_permute
