// A dense array that becomes a part of a larger one in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace xpose::app {

struct BoxPlace {
  std::vector<std::int64_t> extents;  // elements of the part, the outermost axis first
  std::vector<std::size_t> strides;   // bytes in the larger array
  std::size_t item_bytes = 0;
};

// to: the part's first element. The larger array has its axes in the same order.
void place_box(const BoxPlace& place, const std::byte* from, std::byte* to);

}  // namespace xpose::app
