#include "layout.hpp"

#include <algorithm>
#include <array>

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
// nor on other processors.
bool wait_for_memory(const Problem& problem) {
  return !host::fits_cache(problem) && host::is_of_amd_without_avx512();
}

// A tile is crowded where more rows than this fall into one set of the second level, as those that
// lie a power of two apart. Lines that are asked for a tile ahead drive each other out there, so a
// crowded tile asks for its next rows alone. Their pages drive each other out as well, so it reads
// longer runs, by blocks that have all of their columns.
constexpr int64_t kSets = 1024, kCrowd = 32;
constexpr int64_t kCrowdedOverInRun = 4;
constexpr int64_t kWidestBlock = 2048;  // bytes

// Whether a tile is crowded, whose squares are of whole vectors and whose rows and columns have a
// line at least.
bool is_crowded(const Tiling& tiling, int64_t unit) {
  constexpr int64_t kLeastRows = 8;
  const bool has_vectors = unit <= 16 && (unit & (unit - 1)) == 0;
  const int64_t rows = std::ssize(tiling.rows), cols = std::ssize(tiling.cols);
  if (tiling.copies || !has_vectors || rows < kLeastRows || std::min(rows, cols) * unit < kLine)
    return false;
  std::array<int64_t, kSets> in_set{};
  for (const Piece& piece : tiling.inner)
    for (const int64_t row : tiling.rows)
      ++in_set[static_cast<uint64_t>((piece.in + row) * unit / kLine) % kSets];
  return *std::ranges::max_element(in_set) > kCrowd;
}

// Lines that were dropped are asked for again with units of up to 8 bytes: squares of two rows gain
// nothing.
Asks asks_of(const Problem& problem, const Tiling& tiling, int64_t unit) {
  if (tiling.copies || !wait_for_memory(problem)) return Asks::nothing;
  if (is_crowded(tiling, unit)) return Asks::next_rows;
  return unit <= 8 ? Asks::lines_again : Asks::nothing;
}

}  // namespace

Cuts cuts_of(const Problem& problem, const Units& units, Runs runs) {
  const auto elements = [&](int64_t bytes) { return std::max<int64_t>(bytes / units.bytes, 2); };
  const auto with = [&](int64_t run, bool wide = false) {
    return cuts(units.axes, {.out_run = elements(run),
                             .in_run = elements(wide ? kCrowdedOverInRun * runs.in : runs.in),
                             .line = std::max<int64_t>(kLine / units.bytes, 1),
                             .wide = wide});
  };
  Cuts wished = with(runs.out);
  if (!wished.copies()) {
    const bool crowded =
        wait_for_memory(problem) && is_crowded(tiling(units.axes, wished), units.bytes);
    return crowded ? with(runs.out, true) : wished;
  }
  const int64_t kept = kept_run(units);
  if (are_whole(units) || kept >= kLongPiece)
    return with(runs.out * (kept < kLongestRun ? kDirectOverRun : kLongestDirectOverRun));
  const int64_t cols = wished.taken[static_cast<size_t>(wished.in_run.front() - units.axes.data())];
  const bool is_long = cols * units.bytes >= kLongRun;
  return with(runs.out * kCopiesOverRun + (is_long ? kLeastOfLongRuns : 0));
}

// Blocks beside the runs of the block before gain with units of 2 and 4 bytes alone.
Layout::Layout(const Problem& problem, Runs runs)
    : units(problem),
      unit(units.bytes),
      tiling(host_permute::tiling(units.axes, cuts_of(problem, units, runs))),
      has_whole_runs(tiling.copies && are_whole(units)),
      asks(asks_of(problem, tiling, unit)),
      overlaps(asks == Asks::lines_again && (unit == 2 || unit == 4)) {
  // A line more, so that runs of a power of two lie in different sets of the cache.
  buffer_pitch = ceil_div(tiling.run * unit, kLine) * kLine + kLine;
  const int64_t cols = std::ssize(tiling.cols);
  const int64_t width = asks == Asks::next_rows ? kWidestBlock : kLine;
  const int64_t wanted = std::max<int64_t>(width / unit / tiling.whole_cols, 1);
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
