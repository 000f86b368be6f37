#include "layout.hpp"

#include <algorithm>

#include "../kit/host/ceil_div.hpp"
#include "../kit/host/processor.hpp"
#include "../kit/host/traffic.hpp"

namespace host_permute {
namespace {

using host::ceil_div;
using xpose::plugin::Problem;

// A tile of kept runs is only copied: it is soon done, and longer, so that the lines of the next
// have come by then. Long runs ask for more.
constexpr int64_t kCopiesOverRun = 8;
constexpr int64_t kLongRun = 256, kLeastOfLongRuns = 8 * 1024;  // bytes

// Kept runs that need no buffer are as fast in short tiles, and read nearly straight on. The
// longest are so in longer ones.
constexpr int64_t kDirectOverRun = 4, kLongestDirectOverRun = 8;
constexpr int64_t kLongestRun = 4096;  // bytes

bool are_whole(const Units& units) {
  const auto is_whole = [&](const Axis& axis) {
    return (axis.out == 1 ? axis.extent : axis.out) * units.bytes % kLine == 0;
  };
  return std::ranges::all_of(units.axes, is_whole);
}

// Bytes, or 0.
int64_t kept_run(const Units& units) {
  const auto kept = std::ranges::find_if(
      units.axes, [](const Axis& axis) { return axis.in == 1 && axis.out == 1; });
  return kept == units.axes.end() ? 0 : kept->extent * units.bytes;
}

// Whether squares wait for memory, and something is known to be done about it: not in the cache,
// nor with units of 16 bytes, whose squares of two rows gain nothing, nor on other processors.
// Blocks beside the runs of the block before gain with units of 2 and 4 bytes alone.
bool waits_for_memory(const Problem& problem, int64_t unit, const Tiling& tiling) {
  return !tiling.copies && unit <= 8 && !host::fits_cache(problem) &&
         host::is_of_amd_without_avx512();
}

}  // namespace

Cuts cuts_of(const Units& units, Runs runs) {
  const auto elements = [&](int64_t bytes) { return std::max<int64_t>(bytes / units.bytes, 2); };
  const auto with = [&](int64_t run) {
    return cuts(units.axes, {.out_run = elements(run),
                             .in_run = elements(runs.in),
                             .line = std::max<int64_t>(kLine / units.bytes, 1)});
  };
  Cuts wished = with(runs.out);
  if (!wished.copies()) return wished;
  const int64_t kept = kept_run(units);
  if (are_whole(units) || kept >= kLongPiece)
    return with(runs.out * (kept < kLongestRun ? kDirectOverRun : kLongestDirectOverRun));
  const int64_t cols = wished.taken[static_cast<size_t>(wished.in_run.front() - units.axes.data())];
  const bool is_long = cols * units.bytes >= kLongRun;
  return with(runs.out * kCopiesOverRun + (is_long ? kLeastOfLongRuns : 0));
}

Layout::Layout(const Problem& problem, Runs runs)
    : units(problem),
      unit(units.bytes),
      tiling(host_permute::tiling(units.axes, cuts_of(units, runs))),
      has_whole_runs(tiling.copies && are_whole(units)),
      asks_again(waits_for_memory(problem, unit, tiling)),
      overlaps(asks_again && (unit == 2 || unit == 4)) {
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

uint64_t Layout::workspace_bytes() const {
  return static_cast<uint64_t>((overlaps ? 2 : 1) * buffer_bytes);
}

}  // namespace host_permute
