#include "layout.hpp"

#include <algorithm>

#include "../kit/host/ceil_div.hpp"

namespace host_permute {
namespace {

using host::ceil_div;
using xpose::plugin::Problem;

// A tile of kept runs is only copied: it is soon done, and longer, so that the lines of the next
// have come by then. Long runs ask for more.
constexpr int64_t kCopiesOverRun = 8;
constexpr int64_t kLongRun = 256, kLeastOfLongRuns = 8 * 1024;  // bytes

// Kept runs of whole lines go to their places without a buffer, and lines of the output are whole
// however few runs of it a tile has: reading straight on is all that counts.
constexpr int64_t kWholeCopiesOverRun = 4, kLongWholeCopiesOverRun = 8;
constexpr int64_t kLongWholeRun = 4096;  // bytes

bool are_whole(const Units& units) {
  const auto is_whole = [&](const Axis& axis) {
    return (axis.out == 1 ? axis.extent : axis.out) * units.bytes % kLine == 0;
  };
  return std::ranges::all_of(units.axes, is_whole);
}

int64_t whole_copies_over_run(const Units& units) {
  const auto is_long = [&](const Axis& axis) {
    return axis.in == 1 && axis.out == 1 && axis.extent * units.bytes >= kLongWholeRun;
  };
  return std::ranges::any_of(units.axes, is_long) ? kLongWholeCopiesOverRun : kWholeCopiesOverRun;
}

Tiling tiling_of(const Units& units, Runs runs) {
  const auto elements = [&](int64_t bytes) { return std::max<int64_t>(bytes / units.bytes, 2); };
  const auto with = [&](int64_t run) {
    return host_permute::tiling(units.axes, {.out_run = elements(run),
                                             .in_run = elements(runs.in),
                                             .line = std::max<int64_t>(kLine / units.bytes, 1)});
  };
  const Tiling tiling = with(runs.out);
  if (!tiling.copies) return tiling;
  if (are_whole(units)) return with(runs.out * whole_copies_over_run(units));
  const bool is_long = std::ssize(tiling.cols) * units.bytes >= kLongRun;
  return with(runs.out * kCopiesOverRun + (is_long ? kLeastOfLongRuns : 0));
}

}  // namespace

Layout::Layout(const Problem& problem, Runs runs)
    : units(problem),
      unit(units.bytes),
      tiling(tiling_of(units, runs)),
      has_whole_runs(tiling.copies && are_whole(units)) {
  // A line more, so that runs of a power of two lie in different sets of the cache.
  buffer_pitch = ceil_div(tiling.run * unit, kLine) * kLine + kLine;
  const int64_t cols = std::ssize(tiling.cols);
  const int64_t wanted = std::max<int64_t>(kLine / unit / tiling.whole_cols, 1);
  block_cols = std::min(wanted * tiling.whole_cols, cols);
  buffer_bytes = buffer_pitch *
                 std::count(tiling.in_run.begin(), tiling.in_run.begin() + block_cols, int64_t{0});
}

int64_t Layout::tile_bytes() const {
  return std::ssize(tiling.rows) * std::ssize(tiling.cols) * std::ssize(tiling.inner) *
         std::ssize(tiling.outer) * unit;
}

}  // namespace host_permute
