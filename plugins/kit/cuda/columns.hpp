// Columns of the input that the threads of a warp read, an element each.
#pragma once

#include <xpose/plugin.h>

#include <cstdint>

namespace xpose::plugin {

// The percent that such loads take longer where input rows are whole cache lines apart, so that all
// elements of a column lie at the same place of a line. ../../cuda_naive/NOTES.md has the
// measurements.
inline uint32_t columns_of_lines_percent(const xpose_problem& problem) {
  constexpr int64_t kLine = 128;  // bytes
  constexpr uint32_t kPercent = 100, kOfWords = 30;
  const int64_t bytes = problem.element_bytes;
  if (problem.rows == 1 || problem.in_ld * bytes % kLine != 0) return 0;
  return bytes <= 8 ? kPercent : kOfWords;
}

}  // namespace xpose::plugin
