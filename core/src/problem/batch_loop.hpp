// The batch dimensions that a strategy does not take itself: the host calls it once for each
// matrix.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "xpose/problem.hpp"

namespace xpose {

// body(in, out) with the addresses of every matrix's element 0, the first dimension fastest.
// `in` and `out` are those of the whole problem; no dimension: once.
template <class Body>
void for_each_matrix(std::span<const BatchDim> loop, std::uint32_t element_bytes, const void* in,
                     void* out, const Body& body) {
  if (loop.empty()) {
    body(in, out);
    return;
  }
  std::vector<std::int64_t> index(loop.size(), 0);
  for (std::size_t dim = 0; dim < loop.size();) {
    std::int64_t in_offset = 0;
    std::int64_t out_offset = 0;
    for (std::size_t i = 0; i < loop.size(); ++i) {
      in_offset += index[i] * loop[i].in_stride;
      out_offset += index[i] * loop[i].out_stride;
    }
    body(static_cast<const std::byte*>(in) + in_offset * element_bytes,
         static_cast<std::byte*>(out) + out_offset * element_bytes);
    for (dim = 0; dim < loop.size() && ++index[dim] == loop[dim].extent; ++dim) index[dim] = 0;
  }
}

}  // namespace xpose
