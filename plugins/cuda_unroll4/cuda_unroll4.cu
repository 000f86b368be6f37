// The textbook transposes with four elements a thread.
#include <algorithm>
#include <cmath>
#include <xpose/cuda.hpp>

#include "../kit/cuda/columns.hpp"
#include "../kit/cuda/cuda_card.hpp"
#include "../kit/cuda/rows_apart.hpp"
#include "../kit/matrices.hpp"
#include "unroll4_col.cuh"
#include "unroll4_row.cuh"

using namespace xpose;
using namespace xpose::plugin;

namespace {

Tiling tiling(const Config& config, Along x_along) {
  const int64_t x = config["block_x"], y = config["block_y"];
  return {.tile_x = 4 * x, .tile_y = y, .block_x = x, .block_y = y, .x_along = x_along};
}

struct Unroll4Row {
  static Card card() {
    return cuda_card({.name = "unroll4_row",
                      .summary = "four elements a thread, reads along input rows",
                      .max_batch_rank = 1,
                      .prior_rank = 170,
                      .axes = {{"block_x", {32, 16, 64}}, {"block_y", {16, 8, 32}}}});
  }

  static Quote quote(const Problem& problem, const Config& config) {
    constexpr int64_t kSector = 32;
    constexpr uint32_t kApartPercent = 50;
    Quote quote = quote_tiles(problem, tiling(config, Along::input_row));
    // Sectors that no other row shares are written once for each element. Measured: NOTES.md.
    if ((problem.out_ld - problem.rows) * problem.element_bytes > kSector)
      quote.demand.slower_percent = 60;
    if (are_short_rows_apart(problem)) quote.demand.slower_percent += kApartPercent;
    return quote;
  }

  Unroll4Row(const Problem& problem, const Config& config)
      : problem_(problem), tiling_(tiling(config, Along::input_row)) {}

  void launch(const Launch& launch) const {
    with_element(problem_.element_bytes, [&]<class E>(E) {
      launch_tiles("unroll4_row", kernels::unroll4_row<E>, problem_, launch, tiling_);
    });
  }

  Problem problem_;
  Tiling tiling_;
};

struct Unroll4Col {
  static Card card() {
    return cuda_card({.name = "unroll4_col",
                      .summary = "four elements a thread, writes along output rows",
                      .max_batch_rank = 1,
                      .prior_rank = 155,
                      .axes = {{"block_x", {32, 16, 64}}, {"block_y", {16, 8, 32}}}});
  }

  static Quote quote(const Problem& problem, const Config& config) {
    const Tiling tiling = ::tiling(config, Along::input_col);
    Quote quote = quote_tiles(problem, tiling);
    // A block reads whole rows that follow each other: one run.
    if (reads_whole_rows(problem, tiling))
      quote.demand.load_run *= static_cast<uint64_t>(std::min(problem.rows, tiling.tile_x));
    quote.demand.slower_percent = slower_percent(problem, tiling);
    return quote;
  }

  // Input rows that lie far apart are so many times the columns from each other.
  static constexpr int64_t kFar = 8;

  static bool reads_whole_rows(const Problem& problem, const Tiling& tiling) {
    return problem.element_bytes >= 8 && problem.in_ld == problem.cols &&
           problem.cols <= tiling.tile_y;
  }

  // Large blocks take longer, most of all where a batch has small elements. High ones and short
  // sides take less. NOTES.md has the measurements.
  static uint32_t slower_percent(const Problem& problem, const Tiling& tiling) {
    const int64_t threads = tiling.block_x * tiling.block_y, bytes = problem.element_bytes;
    constexpr double kSquareBlock = 30, kFarPercent = 15;
    double percent = bytes < 8 ? 15 : bytes > 8 ? 13 : reads_whole_rows(problem, tiling) ? 8 : 23;
    if (bytes <= 2 && problem.batch_rank != 0) {
      constexpr double kUsualThreads = 256, kThreadsPercent = 7;
      percent = (bytes == 1 ? -6 : 15) +
                kThreadsPercent * std::log2(static_cast<double>(threads) / kUsualThreads);
    } else if (threads == kMaxThreads) {
      percent += 6;
    }
    if (tiling.block_x == 32 && tiling.block_y == 32) percent += kSquareBlock;
    if (bytes == 1 && tiling.block_x >= 32 && problem.in_ld >= kFar * problem.cols)
      percent += kFarPercent;
    percent -= less_percent(problem, tiling);
    return static_cast<uint32_t>(std::max(percent, 0.0)) + columns_of_lines_percent(problem);
  }

  // Elements of up to 4 bytes take so much less in high blocks and with a short side.
  static double less_percent(const Problem& problem, const Tiling& tiling) {
    constexpr double kHighBlock = 8, kShortSide = 8;
    constexpr int64_t kShort = 200, kThin = 24, kFew = 512 << 10;  // bytes
    const int64_t bytes = problem.element_bytes;
    if (bytes > 4) return 0;
    const int64_t side = std::min(problem.rows, problem.cols) * bytes;
    const bool lie_apart = problem.batch_rank != 0 && problem.out_ld > problem.rows;
    const bool is_high = tiling.block_x == 16 && tiling.block_y == 32;
    return (is_high && !(lie_apart && side <= kThin) ? kHighBlock : 0) +
           (side < kShort && bytes_of(problem) > kFew && problem.in_ld < kFar * problem.cols
                ? kShortSide
                : 0);
  }

  Unroll4Col(const Problem& problem, const Config& config)
      : problem_(problem), tiling_(tiling(config, Along::input_col)) {}

  void launch(const Launch& launch) const {
    with_element(problem_.element_bytes, [&]<class E>(E) {
      launch_tiles("unroll4_col", kernels::unroll4_col<E>, problem_, launch, tiling_);
    });
  }

  Problem problem_;
  Tiling tiling_;
};

}  // namespace

XPOSE_PLUGIN("cuda_unroll4", "1.0", Unroll4Row, Unroll4Col)
