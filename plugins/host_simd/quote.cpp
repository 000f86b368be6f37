#include "quote.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <numeric>
#include <string>

#include "../kit/host/ceil_div.hpp"
#include "../kit/host/least_target.hpp"
#include "../kit/host/traffic.hpp"
#include "first_blocks.hpp"
#include "kernels.hpp"
#include "long_runs.hpp"
#include "many_threads.hpp"
#include "mode_parts.hpp"

namespace host_simd {

using host::ceil_div;
using namespace xpose::plugin;

Panels panels_of(const Problem& problem, const Mode& mode) {
  if (mode.order != BlockOrder::kPanels) return Panels::kNone;
  return problem.rows >= problem.cols ? Panels::kDown : Panels::kAcross;
}

namespace {

// Bytes in aligned rows take so much longer by pairs of lines than by single ones. Where rows are a
// power of two apart, the better of the two depends on the processor.
constexpr int64_t kPairsOfBytesSlowerPercent = 11;

bool are_pairs_slower(const Problem& problem) {
  return problem.element_bytes == 1 && problem.out_alignment % 64 == 0;
}

// In the cache gathered lines take so much longer than lines straight from registers, unless the
// output rows of a tile fall into so few sets of the first level that their lines push each other
// out: then gathering is faster.
constexpr int64_t kCachedGatherSlowerPercent = 50;

bool is_tile_kept(const Problem& problem) {
  constexpr int64_t kSets = 64, kWays = 8;
  const int64_t stride = problem.out_ld * problem.element_bytes;
  const int64_t met = stride % 64 == 0 ? kSets / std::gcd(kSets, stride / 64) : kSets;
  return tile_side(problem.element_bytes) <= met * kWays;
}

// Bytes that lie side by side: a row, or all rows of a matrix where no more than so many bytes lie
// between them, forwards or backwards.
uint64_t together(const Problem& problem, int64_t rows, int64_t cols, int64_t ld, int64_t gap) {
  const bool follow = (std::abs(ld) - cols) * problem.element_bytes <= gap;
  return static_cast<uint64_t>((follow ? rows : 1) * cols * problem.element_bytes);
}

// Stores into the cache complete a line that two rows share, whatever lies between them there.
uint64_t store_run(const Problem& problem, const Mode& mode) {
  return together(problem, problem.cols, problem.rows, problem.out_ld, mode.streams() ? 0 : 63);
}

// The bytes between the rows are fetched and written as well: so many percent of the time for as
// many bytes as a row has.
constexpr int64_t kGapPercent = 110;

int64_t gap_percent(const Problem& problem, const Mode& mode) {
  const int64_t gap = problem.out_ld - problem.rows;
  return mode.streams() || gap * problem.element_bytes >= 64 ? 0 : kGapPercent * gap / problem.rows;
}

// Lines that two output rows share are carried from one block to the next, and those at the ends of
// a row are fetched and written in part: it takes as long as moving so many bytes more. All of it
// takes longer besides, most of all with narrow elements.
constexpr int64_t kSharedLinesBytes = 350;
constexpr int64_t kCarryPercent = 12;
// Carrying takes so much longer in matrices that end before memory can hide it.
constexpr int64_t kCarryShownPercent = 20;
constexpr int64_t kCarryIsHiddenFrom = 1 << 20;
// Shorter columns are at an end of the matrix in most groups of tiles: narrow ones fully
// so up to so many bytes.
constexpr int64_t kShortColumn = 1280, kShortestColumn = 800;

// The carried bytes of wide strips leave the first level, those of long runs less often. AMD's
// processors show so much of that, with elements of 2 bytes and more; where memory is scarcer, its
// longer runs pay for it.
constexpr int64_t kWideStripsOfAmdPercent = 8;

int64_t wide_strips_percent(const Problem& problem, const Mode& mode) {
  static const bool shows = host::is_of_amd();
  const bool is_wide = mode.order != BlockOrder::kStrips && mode.writing != Writing::kEights;
  return shows && problem.element_bytes > 1 && is_wide ? kWideStripsOfAmdPercent : 0;
}

bool carries(const Problem& problem, const Mode& mode) {
  return mode.streams() && mode.order != BlockOrder::kPanels && problem.out_alignment < 64;
}

int64_t carry_percent(const Problem& problem) {
  const int64_t out_row = problem.rows * problem.element_bytes;
  const int64_t shared = 100 * kSharedLinesBytes / out_row;
  const bool is_flat = problem.rows < problem.cols && problem.out_ld == problem.rows;
  const int64_t shortest = problem.element_bytes <= 4 ? kShortestColumn : kShortColumn - 1;
  const int64_t short_of = std::clamp<int64_t>(kShortColumn - out_row, 0, kShortColumn - shortest);
  const int64_t at_ends =
      by_size(problem, {100, 60, 65, 65, 35}) * short_of / (kShortColumn - shortest);
  return shared + kCarryPercent + by_size(problem, {60, 20, 0, 0, 0}) + (is_flat ? at_ends : 0) +
         (out_row * problem.cols <= kCarryIsHiddenFrom / 2 ? kCarryShownPercent : 0);
}

// A row of tiles ends in columns that are staged alone, unless rows are whole pairs of lines: tall
// matrices take so much longer up to so many bytes a row, and longer rows less.
constexpr int64_t kRaggedPercent = 75;
constexpr int64_t kRaggedUpTo = 768;

bool is_whole(const Problem& problem) {
  return problem.cols * problem.element_bytes % 128 == 0 && problem.out_alignment % 64 == 0;
}

int64_t ragged_percent(const Problem& problem) {
  const int64_t row = problem.cols * problem.element_bytes;
  if (is_whole(problem) || problem.rows <= problem.cols) return 0;
  return kRaggedPercent * kRaggedUpTo / std::max(row, kRaggedUpTo);
}

// Straight from registers, short columns that lie apart have lines of their own at both ends, which
// take as long as so many bytes more. Those below kLeastColumn take no longer than that.
constexpr int64_t kLeastColumn = 80;

int64_t lone_column_percent(const Problem& problem) {
  if ((problem.out_ld - problem.rows) * problem.element_bytes < 64) return 0;
  const int64_t column = std::max(problem.rows * problem.element_bytes, kLeastColumn);
  return 100 * by_size(problem, {0, 0, 400, 400, 100}) / column;
}

// Straight from registers, lines at the edges of a tile are written element by element.
int64_t direct_percent(const Problem& problem) {
  if (is_whole(problem)) return 0;
  return by_size(problem, {110, 80, 30, 15, 0}) + lone_column_percent(problem);
}

// Where matrices do not follow each other, nobody foresees the next one: each costs as moving so
// many bytes more. Panels across have few lines in which to write the ends of one that follows.
constexpr int64_t kMatrixBytes = 64 << 10, kAcrossMatrixBytes = 8 << 10;

int64_t begin_percent(const Problem& problem, const Mode& mode) {
  if (problem.batch_rank == 0) return 0;
  const xpose_batch_dim& batch = problem.batch[0];
  const bool follow = batch.in_stride == problem.rows * problem.in_ld &&
                      batch.out_stride == problem.cols * problem.out_ld;
  const int64_t matrix = 2 * problem.rows * problem.cols * problem.element_bytes;
  if (!follow) return 100 * kMatrixBytes / matrix;
  return panels_of(problem, mode) == Panels::kAcross ? 100 * kAcrossMatrixBytes / matrix : 0;
}

// Short rows of wide elements that lie apart are each a place of memory. Panels come to them in
// turn, and lose less by it than other walks.
constexpr int64_t kApartPercent = 20, kApartOthersPercent = 80;

bool are_rows_apart(const Problem& problem) {
  return problem.element_bytes >= 4 && problem.rows > problem.cols &&
         std::abs(problem.in_ld) >= 4 * problem.cols;
}

// AMD's processors read rows that are lines, one behind the other, as fast as a copy does.
bool are_lines_at_once(const Problem& problem) {
  const int64_t side = tile_side(problem.element_bytes);
  return problem.cols == side && problem.in_ld == side && problem.element_bytes > 1 &&
         host::is_of_amd();
}

// Panels take longer with bytes, across also with wide elements on processors that are not of AMD,
// hardly where they read lines at once, and by the part of a tile that lies over another; down also
// by the lines that shares have in part, and where rows of wide elements lie apart, across by the
// rows, each of which is a place of memory. A strip across that has few lines, one tile and a half
// at most, is read back while it is still being stored: so many percent there, and in strips of one
// tile of the widest elements.
int64_t panels_percent(const Problem& problem, const Mode& mode) {
  constexpr int64_t kDown[] = {80, 60, 40, 38, 42};
  constexpr int64_t kAcrossOfAmd[] = {150, 30, 15, 15, 15}, kAcross[] = {65, 30, 15, 50, 65};
  constexpr int64_t kOverPercent = 30, kFewRows = 60, kMostOfRows = 35;
  constexpr int64_t kFewLinesPercent = 70, kWideStripPercent = 90, kLinesPercent = 10;
  const auto size = static_cast<size_t>(std::countr_zero(problem.element_bytes));
  const int64_t side = tile_side(problem.element_bytes);
  const int64_t extent = std::min(problem.rows, problem.cols);
  const int64_t over = kOverPercent * (ceil_div(extent, side) * side - extent) / extent;
  if (problem.rows < problem.cols)
    return (host::is_of_amd() ? kAcrossOfAmd : kAcross)[size] + over +
           (2 * extent <= 3 * side ? kFewLinesPercent : 0) +
           (problem.element_bytes == 16 ? kWideStripPercent / ceil_div(extent, side) : 0) +
           std::clamp<int64_t>((extent - kFewRows) * 5 / 16, 0, kMostOfRows);
  if (are_lines_at_once(problem)) return kLinesPercent;
  const int64_t out_row = problem.rows * problem.element_bytes;
  return kDown[size] + over +
         100 * kSharedLinesBytes *
             parts_of(problem, mode, host::worth_threads(problem)).grid().down / out_row +
         (are_rows_apart(problem) ? kApartPercent : 0);
}

// Rows of the output that end within a line before the next one begins soon: that line is fetched
// and written in part, which takes as long as moving so many bytes more, unless the processor is of
// AMD.
constexpr int64_t kEndedLineBytes = 280, kSoon = 128;

int64_t ended_percent(const Problem& problem) {
  const int64_t row = problem.rows * problem.element_bytes, gap = host::out_gap(problem);
  const bool is_ended = row % 64 != 0 && gap > 0 && gap < kSoon;
  return is_ended && !host::is_of_amd() ? 100 * kEndedLineBytes / row : 0;
}

// Lines in the cache of rows that share them take so much longer across.
constexpr int64_t kFoursAcrossPercent = 60;

// Straight from registers, where the processor alone foresees the next lines.
constexpr int64_t kDirectNotAheadPercent = 10;

int64_t mode_percent(const Problem& problem, const Mode& mode) {
  const bool is_slow_in_cache = is_tile_kept(problem) == (mode.writing == Writing::kFours);
  if (mode.order == BlockOrder::kPanels) return panels_percent(problem, mode);
  const int64_t apart = are_rows_apart(problem) ? kApartOthersPercent : 0;
  if (mode.writing == Writing::kDirect)
    return apart + elements_percent(problem, direct_percent(problem)) +
           (is_slow_in_cache ? kCachedGatherSlowerPercent : 0) +
           (mode.ahead == 0 ? kDirectNotAheadPercent : 0);
  int64_t percent = apart + ragged_percent(problem);
  if (!mode.streams())
    return percent + (is_slow_in_cache ? kCachedGatherSlowerPercent : 0) +
           (problem.rows < problem.cols && problem.out_alignment < 64 ? kFoursAcrossPercent : 0);
  percent += ahead_percent(problem, mode);
  percent += long_runs_percent(problem, mode);
  if (carries(problem, mode))
    return percent + carry_percent(problem) + wide_strips_percent(problem, mode);
  percent += ended_percent(problem);
  const bool is_by_slow_pairs = are_pairs_slower(problem) && mode.writing == Writing::kPairs;
  return percent + (is_by_slow_pairs ? kPairsOfBytesSlowerPercent : 0);
}

// The longest sides that panels have all of, rows and columns in bytes, and rows in elements.
constexpr int64_t kPanelRow = 4096, kPanelColumn = 1280, kPanelCols = 1024;

bool has_panels(const Problem& problem) {
  const int64_t bytes = problem.element_bytes;
  if (problem.rows >= problem.cols)
    return problem.cols * bytes <= kPanelRow && problem.cols <= kPanelCols;
  return problem.out_ld == problem.rows && problem.rows * bytes <= kPanelColumn;
}

// The demand that a mode makes of a problem and the problem lacks, or null.
const char* missing(const Problem& problem, const Mode& mode) {
  if (!mode.streams() && !host::fits_cache(problem))
    return "input and output that fit into the cache";
  if (mode.writing == Writing::kSingle &&
      (problem.element_bytes != 1 || problem.out_alignment < 64))
    return "1-byte elements and 64-byte-aligned output rows";
  // The lines of a tile would push each other out of the first level.
  if (mode.writing == Writing::kDirect && problem.out_ld * problem.element_bytes % 4096 == 0 &&
      !is_tile_kept(problem))
    return "output rows that fall into more than one set of the cache";
  if (mode.order == BlockOrder::kPanels && !has_panels(problem))
    return "rows of at most 4096 bytes and 1024 elements, or columns of at most 1280 bytes whose "
           "output rows follow each other without gaps";
  if (mode.writing == Writing::kEights && !has_long_runs(problem))
    return "output rows of at least 8192 bytes, 4096 where they are not aligned to 64 bytes or "
           "have 16-byte elements";
  if (mode.order == BlockOrder::kStrips && problem.out_alignment >= 64)
    return "output rows that are not aligned to 64 bytes";
  return nullptr;
}

}  // namespace

int64_t carry_bytes(const Problem& problem, const Mode& mode) {
  if (const Panels panels = panels_of(problem, mode); panels != Panels::kNone)
    return panel_bytes(panels, problem.rows, problem.cols, problem.element_bytes);
  if (!carries(problem, mode)) return 0;
  return 64 * carried_columns(mode.strip(), problem.cols);
}

Quote quote(const Problem& problem, const Config& config) {
  host::require_least_target();
  const int64_t side = tile_side(problem.element_bytes);
  if (problem.rows < side || problem.cols < side)
    throw Unsupported("needs sides of at least " + std::to_string(side) +
                      " elements, a line of 64 bytes");
  const Mode mode(config["mode"]);
  if (const char* what = missing(problem, mode))
    throw Unsupported("mode=" + std::to_string(config["mode"]) + " needs " + what);
  return {.workspace_bytes =
              static_cast<uint64_t>(host::most_threads(problem) * carry_bytes(problem, mode)),
          .launch = "tile " + std::to_string(side) + "x" + std::to_string(side) + ", " +
                    kernels().front().target + ", " + mode.name(),
          .demand = {.load_run = together(problem, problem.rows, problem.cols, problem.in_ld, 0),
                     .store_run = store_run(problem, mode),
                     .slower_percent = static_cast<uint32_t>(
                         mode_percent(problem, mode) + many_threads_percent(problem, mode) +
                         first_blocks_percent(problem, mode) + gap_percent(problem, mode) +
                         begin_percent(problem, mode)),
                     .traits = mode.streams() ? uint32_t{XPOSE_QUOTE_UNCACHED_STORES} : 0}};
}

}  // namespace host_simd
