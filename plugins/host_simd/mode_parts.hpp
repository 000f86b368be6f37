// The parts of its matrices that a mode has for threads to share out.
#pragma once

#include <cstdint>
#include <xpose/plugin.hpp>

#include "../kit/host/ceil_div.hpp"
#include "../kit/host/parts.hpp"
#include "../kit/host/traffic.hpp"
#include "kernels.hpp"
#include "long_runs.hpp"
#include "mode.hpp"
#include "rectangle.hpp"

namespace host_simd {

// Two threads that have parts of an output row complete the lines between them: past the caches
// where rows are not aligned, in the caches all the more. Panels across have all rows.
inline host::Parts parts_of(const xpose::plugin::Problem& problem, const Mode& mode,
                            int64_t threads) {
  constexpr int64_t kPair = 2, kFour = 4;                    // tiles
  constexpr int64_t kManyFours = 2;                          // for each thread
  constexpr int64_t kCachedDown = 4000, kCachedAcross = 64;  // bytes, as all that follow
  constexpr int64_t kAlignedDown = 150, kAlignedAcross = 400;
  constexpr int64_t kNarrowDown = 600, kNarrowAcross = 150;
  constexpr int64_t kWideDown = 1000, kWideAcross = 800;
  const int64_t size = problem.element_bytes, tile = tile_side(problem.element_bytes);
  const auto side = [&](int64_t extent, int64_t tiles, int64_t ends) {
    return host::Side{extent, tiles * tile, host::ceil_div(extent, tiles * tile), ends / size};
  };
  const bool are_panels = mode.order == BlockOrder::kPanels;
  int64_t down = size <= 2 ? kNarrowDown : kWideDown;
  int64_t across = size <= 2 ? kNarrowAcross : kWideAcross;
  if (!mode.streams()) {
    down = kCachedDown;
    across = kCachedAcross;
  } else if (is_aligned(problem) && !are_panels) {
    down = kAlignedDown;
    across = kAlignedAcross;
  }
  const bool are_fours = problem.rows >= kManyFours * threads * kFour * tile;
  int64_t group = are_fours ? kFour : kPair;
  if (mode.writing == Writing::kEights) group = long_run(size, is_aligned(problem));
  host::Side rows = side(problem.rows, group, down);
  if (are_panels && problem.rows < problem.cols) rows.steps = 1;
  return {xpose::plugin::matrices_of(problem), rows, side(problem.cols, 1, across), threads};
}

}  // namespace host_simd
