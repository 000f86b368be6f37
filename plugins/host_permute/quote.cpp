#include "quote.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "../kit/host/least_target.hpp"
#include "../kit/host/processor.hpp"
#include "../kit/host/traffic.hpp"
#include "kernels.hpp"
#include "layout.hpp"
#include "units.hpp"

namespace host_permute {

using namespace xpose::plugin;

namespace {

// The longest short side, in bytes, of matrices that are faster here than in host_simd, which has
// an expensive edge in every strip: those with rows that share lines, or sides that are not pairs
// of lines. NOTES.md has the measurements.
int64_t longest_short_side(const Problem& problem) {
  return problem.element_bytes >= 4 ? 1536 : problem.rows < problem.cols ? 384 : 0;
}

bool is_ragged_strip(const Problem& problem) {
  const int64_t bytes = problem.element_bytes;
  if (bytes > 16) return false;
  const int64_t line = kLine / bytes, side = std::min(problem.rows, problem.cols);
  const bool whole = problem.out_alignment % kLine == 0 && problem.rows % (2 * line) == 0 &&
                     problem.cols % (2 * line) == 0;
  return line <= side && side * bytes <= longest_short_side(problem) && !whole;
}

// The longest fat elements that are faster in host_fat, where output rows are whole lines. It
// completes lines of others by ordinary stores. NOTES.md has the measurements.
constexpr int64_t kLongestFat = 96;

bool has_whole_lines(const Problem& problem) {
  const int64_t bytes = problem.element_bytes;
  bool whole = problem.out_alignment % kLine == 0 && problem.out_ld * bytes % kLine == 0;
  for (uint32_t i = 0; i < problem.batch_rank; ++i)
    whole = whole && problem.batch[i].out_stride * bytes % kLine == 0;
  return whole;
}

bool is_for_host_fat(const Problem& problem) {
  return has_whole_lines(problem) && problem.element_bytes <= kLongestFat;
}

// Of the others host_simd alone serves rows that lie backwards.
bool is_for_host_simd(const Problem& problem) {
  const int64_t bytes = problem.element_bytes;
  return bytes <= 16 && std::min(problem.rows, problem.cols) * bytes >= kLine;
}

// A matrix, or matrices one behind the other on both sides.
bool is_for_others(const Problem& problem) {
  if (is_ragged_strip(problem)) return false;
  if (problem.in_ld < 0 && !is_for_host_simd(problem)) return false;
  if (problem.element_bytes > 16 && !is_for_host_fat(problem)) return false;
  if (problem.batch_rank != 1) return problem.batch_rank == 0;
  const bool keeps_run = problem.rows == 1 && problem.out_ld == 1;
  const auto& [extent, in_stride, out_stride] = problem.batch[0];
  return !keeps_run && in_stride >= problem.rows * std::abs(problem.in_ld) &&
         out_stride >= problem.cols * problem.out_ld;
}

// The lines of a thread's first tile were not asked for: it takes so much longer, where many
// threads have few tiles each so much of one of them.
constexpr int64_t kFirstTilePercent = 50, kFirstTileOfManyPercent = 30;
// The begin of every tile takes as long as so many bytes more, of which strips and fat units are
// quoted with all that they take besides.
constexpr int64_t kTileBytes = 130;
// A tile beyond this size comes from the second level: the first does not hold two and the buffer.
// Each doubling takes so much longer. Runs that are gathered are soon done, and notice half of
// that.
constexpr int64_t kLargeTile = int64_t{48} * 1024, kLargeTilePercent = 15;
constexpr int64_t kLargeGathered = int64_t{26} * 1024;
// Stores straight from registers write lines in parts.
constexpr int64_t kPartsPercent = 10;
// Matrices with a short side take so much longer than tiles within long ones, tall ones the more,
// the fewer bytes a row has.
constexpr int64_t kStripPercent = 25, kShortRow = 4500;
// Flat ones take longer where a tile has so many rows that the first level does not hold two. With
// two bytes some of it shows from fewer rows on.
constexpr int64_t kManyRows = 80, kManyOfTwoBytes = 80, kManyOthers = 20;
constexpr int64_t kSomeRows = 48, kSomeOfTwoBytes = 15;
// Short rows that lie apart are each a place of memory; so are columns with gaps, most of all of
// two bytes, and those of wide elements: on AMD's processors where the next one is near, on others
// all of 8 bytes and the short ones of 4 and 16.
constexpr int64_t kApartPercent = 30, kGapsOfTwoBytesPercent = 110, kGapsOfWidePercent = 70,
                  kGapsOfWidestPercent = 100;
constexpr int64_t kNearGap = 128;     // bytes
constexpr int64_t kShortColumn = 28;  // elements
// Single bytes take so much longer, and so do rows or columns of less than 16 bytes and odd units
// that are moved one by one.
constexpr int64_t kBytesPercent = 30, kFewPercent = 30, kOddUnitsPercent = 40;
// Odd units that are little wider than 8 bytes take so much longer, unless the processor is of AMD.
constexpr int64_t kWidestLittle = 10, kLittleWiderPercent = 52;
// Copies of runs that are cut take longer, unless the pieces are long.
constexpr int64_t kCutRun = 4096, kLongRun = 20'000, kCutRunPercent = 10;

// The last tile of an axis takes nearly as long as a whole one.
constexpr int64_t kLastTilePercent = 40;
// Runs of wide units take as long as so many bytes more, where their lines bypass the caches.
constexpr int64_t kWideUnit = 8, kWideRunBytes = 80, kShortestWideRun = 512;
// Tiles of fat units whose runs are short are done before the lines of the next one come: it takes
// as long as so many bytes more of a tile.
constexpr int64_t kFatUnit = 16, kSmallTileBytes = 1200;

// Odd units that are shared out to several runs, while the input is read straight through, take so
// much longer than lines written in parts.
constexpr int64_t kSharedOutPercent = 90, kSharedOutRuns = 4;

// Elements of whole lines are about as fast as in host_fat, which is quoted slower.
constexpr int64_t kWholeFatPercent = 40;

int64_t whole_fat_percent(const Problem& problem) {
  const bool is_matrix = problem.in_ld >= 0 && problem.batch_rank <= 1;
  const bool is_fat = problem.element_bytes > 16 && problem.element_bytes % kLine == 0;
  return is_matrix && is_fat && has_whole_lines(problem) ? kWholeFatPercent : 0;
}

int64_t large_percent(const Layout& layout, int64_t tile) {
  if (layout.asks == Asks::next_rows) return 0;  // its lines come a row ahead, not a tile
  const bool gathered = layout.tiling.copies && layout.tiling.inner.size() > 1;
  int64_t percent = 0;
  for (int64_t size = gathered ? kLargeGathered : kLargeTile;
       size < tile && percent < 4 * kLargeTilePercent; size *= 2)
    percent += kLargeTilePercent;
  return percent;
}

int64_t unit_percent(const Layout& layout) {
  const int64_t run = layout.tiling.run * layout.unit;
  if (layout.tiling.copies) {
    const bool is_cut = layout.tiling.read_run == layout.tiling.run && run >= kCutRun;
    return is_cut && run < kLongRun ? kCutRunPercent : 0;
  }
  if (layout.unit == 1) return kBytesPercent;
  const int64_t few = std::min(std::ssize(layout.tiling.rows), layout.block_cols);
  if (few * layout.unit < 16) return kFewPercent;
  const bool is_odd = (layout.unit & (layout.unit - 1)) != 0 && layout.unit % 16 != 0;
  if (!is_odd || layout.unit <= 8) return 0;
  const bool is_slow = layout.unit <= kWidestLittle && !host::is_of_amd();
  return is_slow ? kLittleWiderPercent : kOddUnitsPercent;
}

int64_t shared_out_percent(const Layout& layout) {
  const Tiling& tiling = layout.tiling;
  const bool is_odd = layout.unit < 8 && (layout.unit & (layout.unit - 1)) != 0;
  const int64_t few = std::min(std::ssize(tiling.rows), layout.block_cols);
  if (tiling.copies || !is_odd || few * layout.unit < 16) return 0;
  const bool is_shared_out = layout.buffer_bytes >= kSharedOutRuns * layout.buffer_pitch &&
                             tiling.cols_step < 0 && tiling.read_run >= 2 * tiling.run;
  return is_shared_out ? kSharedOutPercent : 0;
}

// Odd units in short rows of the input that lie apart take so much longer than squares of long
// ones, unless the processor is of AMD.
constexpr int64_t kShortRowsPercent = 90, kShortOddRow = 128;  // bytes

int64_t short_rows_percent(const Layout& layout) {
  const bool is_odd = layout.unit < 16 && (layout.unit & (layout.unit - 1)) != 0;
  const bool are_short = layout.tiling.read_run * layout.unit < kShortOddRow;
  const bool are_slow = is_odd && are_short && !layout.tiling.copies;
  return are_slow && !host::is_of_amd() ? kShortRowsPercent : 0;
}

int64_t strip_percent(const Problem& problem) {
  if (!is_ragged_strip(problem)) return 0;
  if (problem.rows > problem.cols)
    return kStripPercent + kShortRow / (problem.cols * problem.element_bytes) +
           (problem.in_ld >= 4 * problem.cols ? kApartPercent : 0);
  const bool has_two_bytes = problem.element_bytes == 2;
  if (const int64_t gap = (problem.out_ld - problem.rows) * problem.element_bytes; gap > 0) {
    if (has_two_bytes) return kGapsOfTwoBytesPercent;
    if (problem.element_bytes >= 4 && host::out_gap(problem) > 0 && !host::is_of_amd()) {
      const bool is_short = problem.rows <= kShortColumn;
      if (is_short && problem.element_bytes == 16) return kGapsOfWidestPercent;
      return is_short || problem.element_bytes == 8 ? kGapsOfWidePercent : kStripPercent;
    }
    return problem.element_bytes >= 8 && gap < kNearGap ? kGapsOfWidePercent : kStripPercent;
  }
  if (problem.rows >= kManyRows)
    return kStripPercent + (has_two_bytes ? kManyOfTwoBytes : kManyOthers);
  return kStripPercent + (has_two_bytes && problem.rows >= kSomeRows ? kSomeOfTwoBytes : 0);
}

int64_t last_tile_percent(const Tiling& tiling) {
  double over = 1;
  for (const Step& step : tiling.steps)
    over *= static_cast<double>(step.count() * step.tile) / static_cast<double>(step.axis.extent);
  return static_cast<int64_t>(kLastTilePercent * (over - 1));
}

int64_t wide_unit_percent(const Layout& layout, int64_t tile, bool streams) {
  if (layout.tiling.copies || layout.unit <= kWideUnit) return 0;
  const int64_t run = layout.tiling.run * layout.unit;
  if (run >= kShortestWideRun) return streams ? 100 * kWideRunBytes / run : 0;
  return layout.unit > kFatUnit ? 100 * kSmallTileBytes / tile : 0;
}

int64_t begin_percent(const Problem& problem, const Layout& layout, int64_t tile) {
  return is_ragged_strip(problem) || layout.unit > kFatUnit ? 0 : 100 * kTileBytes / tile;
}

// The axis of runs that have less than a line between them, if any: stores into the cache complete
// the lines that they share. What lies between is fetched and written as well: so many percent of
// the time for as many bytes as a run has.
constexpr int64_t kGapPercent = 100;

const Axis* next_run(const Layout& layout, bool streams) {
  const int64_t run = layout.tiling.run;
  const auto next = std::ranges::find_if(layout.units.axes, [&](const Axis& axis) {
    return axis.out > run && (axis.out - run) * layout.unit < kLine;
  });
  return streams || next == layout.units.axes.end() ? nullptr : &*next;
}

uint64_t store_run(const Layout& layout, bool streams) {
  const Axis* const next = next_run(layout, streams);
  const int64_t runs = next == nullptr ? 1 : next->extent;
  return static_cast<uint64_t>(runs * layout.tiling.run * layout.unit);
}

int64_t gap_percent(const Layout& layout, bool streams) {
  const Axis* const next = next_run(layout, streams);
  const int64_t run = layout.tiling.run;
  return next == nullptr ? 0 : kGapPercent * (next->out - run) / run;
}

int64_t first_tile_percent(const Problem& problem, int64_t all, int64_t tile) {
  const int64_t each = host::bytes_of_each_of_many(problem);
  if (each == 0) return kFirstTilePercent * tile / all;
  return std::min(kFirstTileOfManyPercent * 2 * tile / each, kFirstTilePercent);
}

uint32_t slower_percent(const Problem& problem, const Layout& layout, bool streams) {
  const int64_t all = bytes_of(problem);
  const int64_t tile = std::min(all, layout.tile_bytes());
  return static_cast<uint32_t>(first_tile_percent(problem, all, tile) +
                               begin_percent(problem, layout, tile) + gap_percent(layout, streams) +
                               large_percent(layout, tile) + last_tile_percent(layout.tiling) +
                               unit_percent(layout) + wide_unit_percent(layout, tile, streams) +
                               (streams ? shared_out_percent(layout) : kPartsPercent) +
                               short_rows_percent(layout) + strip_percent(problem) +
                               whole_fat_percent(problem));
}

// Throws where an earlier value of an axis makes the same tiles.
void refuse_same_tiles(const Problem& problem, Runs runs) {
  const Units units(problem);
  const Cuts cuts = cuts_of(problem, units, runs);
  const auto refuse = [&](const std::string& axis, int64_t value, int64_t earlier, Runs same) {
    if (cuts_of(problem, units, same) == cuts)
      throw Unsupported(axis + '=' + std::to_string(value) + " makes the same tiles as " + axis +
                        '=' + std::to_string(earlier));
  };
  for (const int64_t earlier : kRuns) {
    if (earlier == runs.out) break;
    refuse("run", runs.out, earlier, {earlier, runs.in});
  }
  for (const int64_t earlier : kInRuns) {
    if (earlier == runs.in) break;
    refuse("in_run", runs.in, earlier, {runs.out, earlier});
  }
}

}  // namespace

Quote quote(const Problem& problem, const Config& config) {
  host::require_least_target();
  if (problem.in_place) throw Unsupported("does not work in place");
  if (is_for_others(problem))
    throw Unsupported(
        "needs two batch dimensions, a run that stays together, matrices in backward order, rows "
        "in backward order with a side below 64 bytes, elements of more than 96 bytes or of more "
        "than 16 in rows that share lines, or a short side with such rows: 64 to 1536 bytes of "
        "elements of 4 bytes or more, or columns of 64 to 384 bytes");
  const bool streams = config["stream"] != 0;
  if (!streams && !host::fits_cache(problem))
    throw Unsupported("stream=0 needs input and output that fit into the cache");
  refuse_same_tiles(problem, Runs(config));
  const Layout layout(problem, Runs(config));
  const auto in_run = static_cast<uint64_t>(layout.tiling.read_run * layout.unit);
  const auto run = static_cast<uint64_t>(layout.tiling.run * layout.unit);
  const auto threads = static_cast<uint64_t>(host::most_threads(problem));
  return {.workspace_bytes = streams ? threads * layout.workspace_bytes() : 0,
          .launch = "runs of " + std::to_string(in_run) + " B to runs of " + std::to_string(run) +
                    " B, " + kernels().front().target,
          .demand = {.load_run = in_run,
                     .store_run = store_run(layout, streams),
                     .slower_percent = slower_percent(problem, layout, streams),
                     .traits = streams ? uint32_t{XPOSE_QUOTE_UNCACHED_STORES} : 0}};
}

}  // namespace host_permute
