// Where a tile's elements lie in shared memory: strides for its axes with which neither the stores
// of the load order nor the loads of the store order meet in banks. Host code.
#pragma once

#include <cstdint>
#include <vector>

namespace cuda_permute {

// The axes of a tile, by number; an order lists those that its slots run over, the fastest first.
struct Layout {
  std::vector<int64_t> extents;
  std::vector<int> load_order, store_order;
  int64_t unit;    // bytes of an access
  int64_t most;    // bytes of all
};

// The stride of each axis, in bytes. The paddings of one axis after the other, from the outermost of
// the output on, are tried on a few warps, and the first with the fewest wavefronts is kept.
std::vector<int64_t> places(const Layout& layout);

}  // namespace cuda_permute
