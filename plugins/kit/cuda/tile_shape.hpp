// The shape that the shared-memory strategies of the study have in common: tiles of tile_y rows and
// block_x columns, some side by side, staged in rows of shared memory that are `pad` elements
// longer than the tile is wide.
#pragma once

#include <cmath>
#include <xpose/cuda.hpp>

#include "rows_apart.hpp"

namespace xpose::plugin {

// tile_y is a multiple of block_y (or refused); and since block_x is a multiple of every
// tile_y / block_y, the threads of a block form whole columns of the tile when they are renumbered.
inline std::vector<Axis> tile_axes(bool padded) {
  std::vector<Axis> axes = {{"block_x", {32, 16}}, {"block_y", {16, 8, 32}}, {"tile_y", {16, 32}}};
  if (padded) axes.push_back({"pad", {2, 0, 1, 4}});
  return axes;
}

struct TileShape {
  TileShape(const Problem& problem, const Config& config, bool padded, int tiles_across)
      : tile_rows(config["tile_y"]),
        block_rows(config["block_y"]),
        pitch(static_cast<int>(tiles_across * config["block_x"] + (padded ? config["pad"] : 0))) {
    tiling = {.tile_x = tiles_across * config["block_x"],
              .tile_y = tile_rows,
              .block_x = config["block_x"],
              .block_y = block_rows,
              .shared_bytes = static_cast<uint64_t>(tile_rows * pitch * problem.element_bytes)};
  }

  int64_t tile_rows;   // elements
  int64_t block_rows;  // threads
  int pitch;           // elements from one row of the tile to the next in shared memory
  Tiling tiling;
};

// Runs of the output that end within a sector of another tile's cost as moving so many bytes more,
// where that tile follows too late to join it in the cache.
inline uint32_t ends_percent(const Problem& problem, uint64_t store_run) {
  constexpr uint64_t kEnds = 75, kSector = 32;
  const auto out_row = static_cast<uint64_t>(problem.rows) * problem.element_bytes;
  const uint64_t between = 2 * static_cast<uint64_t>(problem.cols) * store_run;
  if (problem.out_alignment >= kSector || out_row <= store_run ||
      between <= problem.cache_bytes / 4)
    return 0;
  return static_cast<uint32_t>(100 * kEnds / 2 / store_run);
}

// Threads whose elements lie beyond the problem wait at the barrier of their block, in the place of
// others. Where these are less than half, each further halving costs so much, unless there are no
// more blocks than multiprocessors have room for.
inline uint32_t idle_percent(const Problem& problem, const Tiling& tiling, const Quote& quote) {
  constexpr double kHalving = 10, kThreadsAtOnce = 2048;
  const auto part = [](int64_t extent, int64_t tile) {
    return static_cast<double>(extent) / static_cast<double>(blocks_over(extent, tile) * tile);
  };
  const double at_work = part(problem.cols, tiling.tile_x) * part(problem.rows, tiling.tile_y);
  const double rounds = static_cast<double>(quote.demand.blocks * quote.demand.threads) /
                        (kThreadsAtOnce * std::max(problem.multiprocessors, 1U));
  return static_cast<uint32_t>(kHalving * std::max(-std::log2(at_work) - 1, 0.0) *
                               std::clamp(rounds - 1, 0.0, 1.0));
}

inline Quote quote_tile(const Problem& problem, const Config& config, bool padded,
                        int tiles_across) {
  const TileShape shape(problem, config, padded, tiles_across);
  if (shape.tile_rows % shape.block_rows != 0)
    throw Unsupported("tile_y=" + std::to_string(shape.tile_rows) +
                      " is not a multiple of block_y=" + std::to_string(shape.block_rows));
  if (padded && config["pad"] == 4 && problem.element_bytes > 1)
    throw Unsupported("pad=4 needs 1-byte elements; for " + std::to_string(problem.element_bytes) +
                      "-byte elements pad=" + (problem.element_bytes == 2 ? "2" : "1") +
                      " does the same");
  constexpr uint32_t kApartPercent = 75;
  Quote quote = quote_tiles(problem, shape.tiling);
  quote.demand.slower_percent = ends_percent(problem, quote.demand.store_run) +
                                idle_percent(problem, shape.tiling, quote) +
                                (are_short_rows_apart(problem) ? kApartPercent : 0);
  return quote;
}

// Calls body(tile_rows, items) with the two as constants, where items is how many elements of a
// tile's column a thread has.
template <class Body>
void with_tile(const TileShape& shape, const Body& body) {
  with_constant<16, 32>(shape.tile_rows, [&](auto tile_rows) {
    with_constant<8, 16, 32>(shape.block_rows, [&](auto block_rows) {
      if constexpr (tile_rows() % block_rows() == 0)
        body(tile_rows, std::integral_constant<int, tile_rows() / block_rows()>{});
    });
  });
}

}  // namespace xpose::plugin
