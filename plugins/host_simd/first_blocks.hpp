// The time of the first blocks of a small matrix, which were not asked for.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <xpose/plugin.hpp>

#include "../kit/host/processor.hpp"
#include "../kit/host/traffic.hpp"
#include "mode.hpp"

namespace host_simd {

// One of the percents for elements of 1, 2, 4, 8 and 16 bytes.
inline int64_t by_size(const xpose::plugin::Problem& problem, std::array<int64_t, 5> percents) {
  return percents[static_cast<size_t>(std::countr_zero(problem.element_bytes))];
}

// Panels down a small matrix of bytes take so much longer, and so do those of elements of 4 and 8
// bytes where rows are long and columns are not, unless the processor is of AMD.
inline int64_t few_panels_percent(const xpose::plugin::Problem& problem) {
  constexpr int64_t kOfBytes = 85, kOfLongRows = 45, kLongRow = 1000, kShortColumn = 7168;
  constexpr int64_t kSmall = 8 << 20;
  const int64_t size = problem.element_bytes, row = problem.cols * size;
  const bool is_down = problem.rows >= problem.cols;
  if (!is_down || host::is_of_amd() || host::traffic(problem) > kSmall) return 0;
  if (size == 1) return kOfBytes;
  const bool has_long_rows = row >= kLongRow && problem.rows * size <= kShortColumn;
  return (size == 4 || size == 8) && has_long_rows ? kOfLongRows : 0;
}

// A small matrix has few blocks, of which the first were not asked for. So with one thread lines
// past the caches take so much longer with wide elements, and all else most of all across; panels
// down the more, the fewer they are, and panels across with two threads as well, most of all where
// bytes make short columns.
inline int64_t first_blocks_percent(const xpose::plugin::Problem& problem, const Mode& mode) {
  constexpr int64_t kDown = 20, kDownLongRows = 45, kLongRow = 200;
  constexpr int64_t kAcross = 30, kPanelsAcross = 70, kOfTwoThreads = 60;
  constexpr int64_t kShortOfBytes = 70, kShortColumnOfBytes = 384;
  constexpr int64_t kFewBlocks = 2 << 20;
  const bool is_flat = problem.rows < problem.cols;
  const bool are_panels = mode.order == BlockOrder::kPanels;
  if (const int64_t few = few_panels_percent(problem); are_panels && few != 0) return few;
  if (!host::is_for_one_thread(problem)) {
    if (!are_panels || !is_flat || host::traffic(problem) > kFewBlocks) return 0;
    const bool is_short = problem.element_bytes == 1 && problem.rows <= kShortColumnOfBytes;
    return is_short ? kShortOfBytes : kOfTwoThreads;
  }
  if (are_panels && is_flat) return kPanelsAcross;
  if (are_panels) {
    const bool are_few = problem.cols * problem.element_bytes >= kLongRow;
    return are_few && problem.element_bytes < 16 ? kDownLongRows : kDown;
  }
  if (mode.streams()) return by_size(problem, {0, 0, 20, 45, 60});
  return is_flat ? kAcross : 0;
}

}  // namespace host_simd
