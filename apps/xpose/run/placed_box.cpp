#include "run/placed_box.hpp"

#include <cstring>

namespace xpose::app {
namespace {

// Bytes that stay together, so many times.
struct Runs {
  std::size_t bytes = 0;
  std::size_t count = 1;
  std::size_t stride = 0;
};

template <std::size_t kBytes>
void copy_short(const Runs& runs, const std::byte* from, std::byte* to) {
  for (std::size_t i = 0; i < runs.count; ++i)
    std::memcpy(to + i * runs.stride, from + i * kBytes, kBytes);
}

// A call costs more than to move a few bytes.
void copy_runs(const Runs& runs, const std::byte* from, std::byte* to) {
  switch (runs.bytes) {
    case 1:
      return copy_short<1>(runs, from, to);
    case 2:
      return copy_short<2>(runs, from, to);
    case 4:
      return copy_short<4>(runs, from, to);
    case 8:
      return copy_short<8>(runs, from, to);
    case 16:
      return copy_short<16>(runs, from, to);
    default:
      for (std::size_t i = 0; i < runs.count; ++i)
        std::memcpy(to + i * runs.stride, from + i * runs.bytes, runs.bytes);
  }
}

}  // namespace

void place_box(const BoxPlace& place, const std::byte* from, std::byte* to) {
  Runs runs{place.item_bytes};
  std::size_t outer = place.extents.size();
  for (; outer > 0; --outer) {
    const auto extent = static_cast<std::size_t>(place.extents[outer - 1]);
    if (extent != 1 && place.strides[outer - 1] != runs.bytes) break;
    runs.bytes *= extent;
  }
  if (outer > 0) {
    --outer;
    runs.count = static_cast<std::size_t>(place.extents[outer]);
    runs.stride = place.strides[outer];
  }
  std::vector<std::int64_t> index(outer);
  for (;;) {
    copy_runs(runs, from, to);
    from += runs.bytes * runs.count;
    std::size_t at = outer;
    while (at > 0 && ++index[at - 1] == place.extents[at - 1]) {
      to -= static_cast<std::size_t>(place.extents[at - 1] - 1) * place.strides[at - 1];
      index[--at] = 0;
    }
    if (at == 0) return;
    to += place.strides[at - 1];
  }
}

}  // namespace xpose::app
