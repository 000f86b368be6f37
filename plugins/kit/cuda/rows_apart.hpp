// Short output rows of a batch that lie apart.
#pragma once

#include <xpose/plugin.h>

#include <cstdint>

namespace xpose::plugin {

// Whether output rows are short and lie apart by little, and all of them exceed a share of the
// cache: the simple kernels then take longer than their sectors say.
inline bool are_short_rows_apart(const xpose_problem& problem) {
  constexpr int64_t kShort = 24, kNear = 48, kShare = 4;
  const int64_t bytes = problem.element_bytes;
  if (problem.batch_rank == 0 || problem.rows >= problem.cols || problem.out_ld <= problem.rows ||
      problem.rows * bytes > kShort || (problem.out_ld - problem.rows) * bytes > kNear)
    return false;
  int64_t span = problem.cols * problem.out_ld * bytes;
  for (uint32_t i = 0; i < problem.batch_rank; ++i) span *= problem.batch[i].extent;
  return span > static_cast<int64_t>(problem.cache_bytes) / kShare;
}

}  // namespace xpose::plugin
