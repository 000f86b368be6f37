#include "bulk.hpp"

#include <vector>

#include "places.hpp"

namespace cuda_permute {
namespace {

// Of a run as it lies in shared memory from which on its next axis may rather be padded.
constexpr int64_t kLongLoad = 512;  // bytes

Pieces pieces(const Parts& parts, const std::vector<int>& order, int64_t Axis::*stride,
              const std::vector<int64_t>& places, int64_t element_bytes) {
  Pieces to{};
  to.count = 1;
  to.bytes = to.last_bytes = kBulkBytes;
  bool goes_on = true;
  for (const int number : order) {
    const auto at = static_cast<size_t>(number);
    const Axis& axis = parts.axes[at];
    goes_on = goes_on && axis.*stride * element_bytes == to.bytes && places[at] == to.bytes;
    if (!goes_on) {
      to.count *= static_cast<uint32_t>(axis.extent);
      to.axis[to.axes] = parts.tile_axis(number, stride, places[at]);
      to.axis[to.axes++].stride *= element_bytes;
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

BulkSquares bulk_squares(const Cut& cut, bool along_input) {
  BulkSquares to{};
  const Parts parts(cut, add_steps(cut, along_input, to.step, to.steps));
  const int64_t bytes = cut.form().bytes;
  const std::vector<int> by_in = by_input(parts.axes);
  std::vector<int> loads = by_in, stores = by_output(parts.axes);
  if (cut.side() > 1)
    for (std::vector<int>* const order : {&loads, &stores})
      std::erase(*order, static_cast<int>(parts.axes.size()) - 1);
  std::vector<int64_t> extents;
  for (const Axis& axis : parts.axes) extents.push_back(axis.extent);
  size_t dense = 0;
  for (int64_t run = cut.side(); dense < by_in.size() && run * bytes < kLongLoad; ++dense) {
    const auto at = static_cast<size_t>(by_in[dense]);
    if (parts.axes[at].in != run) break;
    run *= parts.axes[at].extent;
  }
  to.tile_bytes = static_cast<uint32_t>(cut.shared_bytes() - kBarrierBytes);
  const std::vector<int64_t> strides = places({.extents = extents,
                                               .load = {loads},
                                               .store = {stores},
                                               .nest = by_in,
                                               .dense = dense,
                                               .unit = kBulkBytes,
                                               .most = to.tile_bytes});
  to.load = pieces(parts, by_in, &Axis::in, strides, bytes);
  to.squares = static_cast<uint32_t>(cut.tile().elements / (cut.side() * cut.side()));
  if (cut.side() > 1) {
    to.row_place = static_cast<uint32_t>(strides.back());
    to.col_stride = cut.form().axes[static_cast<size_t>(inner_axes(cut.form()).in)].out;
  }
  for (const int number : stores)
    to.axis[to.axes++] = parts.tile_axis(number, &Axis::out, strides[static_cast<size_t>(number)]);
  return to;
}

}  // namespace cuda_permute
