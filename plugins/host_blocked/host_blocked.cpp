// Cache blocking: each square tile is read along input rows into a small buffer and written from
// there along output rows, so that both matrices are touched in whole runs. At a power-of-two tile
// the buffer's columns fall into few cache sets; padding its rows spreads them.
#include <xpose/plugin.hpp>

#include "../kit/host/ceil_div.hpp"
#include "../kit/host/host_loop.hpp"
#include "../kit/host/processor.hpp"

using namespace xpose::plugin;

namespace {

constexpr int64_t kBufferBytes = 64 * 1024;
// Elements pass the buffer one at a time, which takes so much longer over their bytes; and so much
// longer where the buffer comes from the second level.
constexpr uint32_t kOneAtATimePercent = 160, kSecondLevelPercent = 20;
// Output rows that have a line of their own each take so much longer, and so do others with gaps
// that are no longer than a tile.
constexpr uint32_t kLoneRowPercent = 70, kGapsPercent = 30;
// The widest elements with gaps take so much longer besides, unless the processor is of AMD: a loop
// needs no buffer for them.
constexpr uint32_t kWidestGapsPercent = 25;
constexpr int64_t kFirstLevelBytes = 32 * 1024;
// In a batch, where nothing hides it, each row of a tile takes as long to begin as so many bytes to
// move.
constexpr int64_t kRowBytes = 24;

struct Tiling {
  int64_t tile;   // elements a side
  int64_t pitch;  // elements from one buffer row to the next
};

Quote quote_tiling(const Problem& problem, Tiling tiling) {
  const int64_t bytes = tiling.tile * tiling.pitch * problem.element_bytes;
  if (bytes > kBufferBytes)
    throw Unsupported("the tile needs a buffer of " + std::to_string(bytes) + " bytes; there are " +
                      std::to_string(kBufferBytes));
  const std::string side = std::to_string(tiling.tile);
  const auto run = [&](int64_t length, int64_t ld) {
    const bool is_whole = length <= tiling.tile && ld == length;
    const int64_t elements = is_whole ? problem.rows * problem.cols : std::min(length, tiling.tile);
    return static_cast<uint64_t>(elements) * problem.element_bytes;
  };
  const int64_t in_row = std::min(problem.cols, tiling.tile) * problem.element_bytes;
  const bool has_gaps = problem.rows <= tiling.tile && problem.out_ld != problem.rows;
  const bool has_widest_gaps =
      problem.element_bytes == 16 && host::out_gap(problem) > 0 && !host::is_of_amd();
  const int64_t rows_percent = problem.batch_rank == 0 ? 0 : 100 * kRowBytes / in_row;
  return {.launch = "tile " + side + "x" + side + ", buffer " + std::to_string(bytes) + " B",
          .demand = {.load_run = run(problem.cols, problem.in_ld),
                     .store_run = run(problem.rows, problem.out_ld),
                     .slower_percent = kOneAtATimePercent / problem.element_bytes +
                                       (bytes > kFirstLevelBytes ? kSecondLevelPercent : 0) +
                                       (has_widest_gaps ? kWidestGapsPercent : 0) +
                                       (host::are_rows_alone(problem) ? kLoneRowPercent
                                        : has_gaps                    ? kGapsPercent
                                                                      : 0) +
                                       static_cast<uint32_t>(rows_percent)}};
}

// One tile of rows x cols elements, at most tile x tile.
template <class E>
void transpose_tile(const E* in, int64_t in_ld, E* out, int64_t out_ld, int64_t rows, int64_t cols,
                    int64_t pitch) {
  E buffer[kBufferBytes / sizeof(E)];  // (rows, pitch)
  for (int64_t r = 0; r < rows; ++r)
    std::memcpy(buffer + r * pitch, in + r * in_ld, static_cast<size_t>(cols) * sizeof(E));
  for (int64_t c = 0; c < cols; ++c)
    for (int64_t r = 0; r < rows; ++r) out[c * out_ld + r] = buffer[r * pitch + c];
}

void transpose(const Problem& problem, Tiling tiling, const Launch& launch) {
  const int64_t tile = tiling.tile;
  const int64_t tile_rows = host::ceil_div(problem.rows, tile);
  const int64_t tile_cols = host::ceil_div(problem.cols, tile);
  host::with_element(problem.element_bytes, [&]<class E>(E) {
    host::for_each_step<E>(
        problem, launch, tile_rows * tile_cols, [&](const E* in, E* out, int64_t step) {
          const int64_t row = step % tile_rows * tile;  // steps walk along output rows
          const int64_t col = step / tile_rows * tile;
          transpose_tile(in + row * problem.in_ld + col, problem.in_ld,
                         out + col * problem.out_ld + row, problem.out_ld,
                         std::min(tile, problem.rows - row), std::min(tile, problem.cols - col),
                         tiling.pitch);
        });
  });
}

struct Blocked {
  static Card card() {
    return {.name = "host_blocked",
            .summary = "square tiles staged through a small buffer",
            .min_alignment = 1,
            .max_batch_rank = 1,
            .prior_rank = 210,
            .axes = {{"tile", {64, 32, 16, 128}}}};
  }

  static Tiling tiling(const Config& config) { return {config["tile"], config["tile"]}; }

  static Quote quote(const Problem& problem, const Config& config) {
    return quote_tiling(problem, tiling(config));
  }

  Blocked(const Problem& problem, const Config& config)
      : problem_(problem), tiling_(tiling(config)) {}

  void launch(const Launch& launch) const { transpose(problem_, tiling_, launch); }

  Problem problem_;
  Tiling tiling_;
};

struct BlockedPad {
  static Card card() {
    return {.name = "host_blocked_pad",
            .summary = "square tiles staged through a small buffer with padded rows",
            .min_alignment = 1,
            .max_batch_rank = 1,
            .prior_rank = 200,
            .axes = {{"tile", {64, 32, 16, 128}}, {"pad", {1, 2, 4}}}};
  }

  static Tiling tiling(const Config& config) {
    return {config["tile"], config["tile"] + config["pad"]};
  }

  static Quote quote(const Problem& problem, const Config& config) {
    return quote_tiling(problem, tiling(config));
  }

  BlockedPad(const Problem& problem, const Config& config)
      : problem_(problem), tiling_(tiling(config)) {}

  void launch(const Launch& launch) const { transpose(problem_, tiling_, launch); }

  Problem problem_;
  Tiling tiling_;
};

}  // namespace

XPOSE_PLUGIN("host_blocked", "1.0", Blocked, BlockedPad)
