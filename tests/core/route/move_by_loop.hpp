// Problems moved element by element.
#pragma once

#include <cstddef>
#include <cstring>
#include <functional>
#include <vector>

#include "xpose/problem.hpp"

namespace xpose {

// What an engine does with a problem.
inline void move_by_loop(const Problem& problem, const void* in, void* out) {
  std::vector<std::byte> copy;
  if (problem.in_place) {
    const auto* const begin = static_cast<const std::byte*>(in);
    copy.assign(begin, begin + ((problem.rows - 1) * problem.in_ld + problem.cols) *
                                   static_cast<std::int64_t>(problem.element_bytes));
    in = copy.data();
  }
  std::vector<BatchDim> dims = {{problem.rows, problem.in_ld, 1},
                                {problem.cols, 1, problem.out_ld}};
  dims.insert(dims.end(), problem.batch.begin(), problem.batch.end());
  const std::function<void(std::size_t, std::int64_t, std::int64_t)> loop =
      [&](std::size_t axis, std::int64_t from, std::int64_t to) {
        if (axis == dims.size()) {
          std::memcpy(static_cast<std::byte*>(out) + to * problem.element_bytes,
                      static_cast<const std::byte*>(in) + from * problem.element_bytes,
                      problem.element_bytes);
          return;
        }
        for (std::int64_t i = 0; i < dims[axis].extent; ++i)
          loop(axis + 1, from + i * dims[axis].in_stride, to + i * dims[axis].out_stride);
      };
  loop(0, 0, 0);
}

}  // namespace xpose
