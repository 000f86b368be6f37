// The matrices of a problem, and their bytes.
#pragma once

#include <xpose/plugin.h>

#include <cstdint>

namespace xpose::plugin {

// Of all batch dimensions; 1 without a batch.
inline int64_t matrices_of(const xpose_problem& problem) {
  int64_t matrices = 1;
  for (uint32_t i = 0; i < problem.batch_rank; ++i) matrices *= problem.batch[i].extent;
  return matrices;
}

// Of the elements of all matrices, on one side.
inline int64_t bytes_of(const xpose_problem& problem) {
  return matrices_of(problem) * problem.rows * problem.cols * problem.element_bytes;
}

}  // namespace xpose::plugin
