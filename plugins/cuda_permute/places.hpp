// Where a tile's elements lie in shared memory: strides for its axes with which neither the stores
// of the load order nor the loads of the store order meet in banks. Host code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cuda_permute {

// Slots over some axes, the fastest first, each of so many elements side by side.
struct Order {
  std::vector<int> axes;
  int64_t elements = 1;
};

// The axes of a tile, by number.
struct Layout {
  std::vector<int64_t> extents;
  Order load, store;
  std::vector<int> nest;  // the order in which axes follow each other in shared memory
  size_t dense;           // as many of its first axes are not padded
  int64_t unit;           // bytes of an element, or of a square's row
  int64_t most;           // bytes of all
  // Where words are kept as they lie elsewhere: their bytes, and the remainder that each axis's
  // stride has there. Else empty.
  int64_t word = 1;
  std::vector<int64_t> remainders = {};
  bool tries_paddings = true;
};

// The stride of each axis, in bytes. The paddings of one axis after the other, from the outermost
// on, are tried on a few warps, and the first with the fewest wavefronts is kept.
std::vector<int64_t> places(const Layout& layout);

// Whether lanes meet in banks much less often if the places of these strides are swizzled: if the
// bank depends on the higher bits as well, with words kept together. Lanes within a long run that
// are a power of two apart do not meet then.
bool swizzling_helps(const Layout& layout, const std::vector<int64_t>& strides);

}  // namespace cuda_permute
