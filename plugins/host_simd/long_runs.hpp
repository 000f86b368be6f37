// The time of long runs of an output row and of prefetches, and the processors that prefer long
// runs to two lines.
#pragma once

#include <cstdint>
#include <xpose/plugin.hpp>

#include "../kit/host/processor.hpp"
#include "kernels.hpp"
#include "mode.hpp"
#include "rectangle.hpp"

namespace host_simd {

// Memory of AMD's processors without AVX-512 takes long runs of an output row so much faster than
// two lines of it. So does all memory where elements are wide and rows are not aligned, since long
// runs carry a line less often. Elsewhere they are quoted slower.
inline constexpr int64_t kPairsPercent = 15, kLongRunsPercent = 25, kCarriedLongRunsPercent = 5;

// The first group of tiles of unaligned output rows is staged alone, and so is the last one of all
// that is not whole: their rows take so much longer.
inline constexpr int64_t kAlonePercent = 85;

inline bool is_aligned(const xpose::plugin::Problem& problem) {
  return problem.out_alignment >= 64;
}

inline bool prefers_long_runs(const xpose::plugin::Problem& problem) {
  if (!is_aligned(problem) && problem.element_bytes >= 8) return true;
  return host::is_of_amd_without_avx512();
}

// Where the processor alone foresees the next lines. A long run of wide elements has few columns,
// whose lines come soon enough by themselves, but not to AMD's processors with AVX-512.
inline constexpr int64_t kNotAheadPercent = 3, kWideAheadPercent = 6;

inline int64_t ahead_percent(const xpose::plugin::Problem& problem, const Mode& mode) {
  const bool is_wide = mode.writing == Writing::kEights && !is_aligned(problem) &&
                       problem.element_bytes >= 8 && !host::is_of_amd_with_avx512();
  if (is_wide) return mode.ahead == 0 ? 0 : kWideAheadPercent;
  return mode.ahead == 0 ? kNotAheadPercent : 0;
}

inline int64_t long_run_rows(const xpose::plugin::Problem& problem) {
  return long_run(problem.element_bytes, is_aligned(problem)) * tile_side(problem.element_bytes);
}

inline bool has_long_runs(const xpose::plugin::Problem& problem) {
  return problem.rows >= 16 * long_run_rows(problem);
}

inline int64_t long_runs_percent(const xpose::plugin::Problem& problem, const Mode& mode) {
  const bool are_preferred = prefers_long_runs(problem);
  if (mode.writing != Writing::kEights)
    return are_preferred && has_long_runs(problem) ? kPairsPercent : 0;
  const int64_t group = long_run_rows(problem);
  const int64_t alone = problem.rows % group + (is_aligned(problem) ? 0 : group);
  const int64_t slower = !is_aligned(problem) && problem.element_bytes >= 4
                             ? kCarriedLongRunsPercent
                             : kLongRunsPercent;
  return kAlonePercent * alone / problem.rows + (are_preferred ? 0 : slower);
}

}  // namespace host_simd
