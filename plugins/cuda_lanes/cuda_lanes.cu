// Small matrices of elements of 1 and 2 bytes whose rows are not aligned.
#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <string>
#include <xpose/cuda.hpp>

#include "../kit/cuda/cuda_card.hpp"
#include "../kit/cuda/few_bytes.hpp"
#include "../kit/matrices.hpp"
#include "lanes.cuh"

using namespace xpose;
using namespace xpose::plugin;

namespace {

// Bytes of an output row that the lanes of a warp write.
constexpr int64_t kBandBytes = kernels::kOwnedLanes * kernels::kWordBytes;
constexpr int64_t kLeastCols = 16;
// Bytes below which a tile gets more bands of them.
constexpr int64_t kLeastTileBytes = 6 << 10;
// Threads that keep a multiprocessor busy, an eighth more than it runs at once, and the columns
// that are enough for a warp. NOTES.md has the launches that were the fastest.
constexpr int64_t kBusyThreads = 1152, kLeastWarpCols = 7;
constexpr int64_t kSomeMultiprocessors = 132;  // where a problem does not tell
constexpr int64_t kVectorBytes = 16;
// Bytes that the stores of a full tile count as.
constexpr uint64_t kStoreRun = 256;

int64_t round_up(int64_t value, int64_t multiple) {
  return blocks_over(value, multiple) * multiple;
}

// The width of tiles that share the columns evenly, at most so many.
int64_t even_width(const Problem& problem, int64_t most) {
  const int64_t pack = kernels::kWordBytes / problem.element_bytes;
  return round_up(blocks_over(problem.cols, blocks_over(problem.cols, most)), pack);
}

// The launch of a config, worked out for all blocks.
struct Cut {
  kernels::LanesTile tile{};
  Tiling tiling;
  int load = 0;  // bytes of a load; 0: rows without gaps, the tile being one run of them

  // `width`: columns of a tile at most; 0: all.
  Cut(const Problem& problem, int64_t width) {
    refuse(problem, width);
    const int64_t bytes = problem.element_bytes, pack = kernels::kWordBytes / bytes;
    const int64_t cols = width == 0 ? problem.cols : even_width(problem, width);
    load = width == 0 ? 0 : problem.in_ld % 2 != 0 ? kVectorBytes : kernels::kWordBytes;
    tile.dense = problem.in_ld == problem.cols;
    tile.bands_log2 = cols * kBandBytes * 2 <= kLeastTileBytes ? 2
                      : cols * kBandBytes <= kLeastTileBytes   ? 1
                                                               : 0;
    const int64_t rows = kBandBytes / bytes << tile.bands_log2;  // of a block
    tiling = {.tile_x = rows,
              .tile_y = cols,
              .behind_x = pack - 1,
              .x_along = Along::input_col,
              .shared_bytes = 0,
              .max_shared_bytes = kMaxAllowedSharedBytes};
    tiling.shared_bytes = lay_out(problem, rows / pack + 1, cols * bytes);
    if (tiling.shared_bytes > kMaxAllowedSharedBytes) return;  // the quote refuses it
    tiling.block_x = threads_for(problem, pack << tile.lanes_log2);
    const int64_t warps = tiling.block_x / 32 >> tile.bands_log2;
    tile.width = static_cast<int>(cols);
    tile.warp_cols = static_cast<int>(round_up(blocks_over(cols, warps), pack));
  }

 private:
  static void refuse(const Problem& problem, int64_t width) {
    if (problem.cols < kLeastCols)
      throw Unsupported("needs " + std::to_string(kLeastCols) + " columns");
    if (std::min(problem.in_alignment, problem.out_alignment) >= kVectorBytes)
      throw Unsupported("rows at multiples of 16 bytes need no shifts");
    if (width == 0) {
      if (problem.in_ld != problem.cols || problem.cols % 2 == 0)
        throw Unsupported("width=0 needs an odd number of columns, without gaps behind them");
    } else {
      for (const int64_t other : kWidths) {
        if (other == width) break;
        if (even_width(problem, width) == even_width(problem, other))
          throw Unsupported("width=" + std::to_string(width) +
                            " makes the same tiles as width=" + std::to_string(other));
      }
    }
  }

  // Rows keep their places modulo a load. An odd number of words from group to group lets lanes
  // meet all banks; of odd leading dimensions it is odd as it is. Returns the bytes of a tile.
  uint64_t lay_out(const Problem& problem, int64_t groups, int64_t row_bytes) {
    constexpr int64_t kAround = 64;  // where loads and words go past a tile
    const int64_t bytes = problem.element_bytes, pack = kernels::kWordBytes / bytes;
    if (load == 0) {
      if (row_bytes > static_cast<int64_t>(kMaxAllowedSharedBytes)) return row_bytes;
      tile.row_pitch = static_cast<int>(row_bytes);
      tile.group_pitch = static_cast<int>(row_bytes * pack);
    } else {
      const int64_t least = row_bytes + 2 * (load - bytes);
      const int64_t pitch = problem.in_ld % load * bytes % load;
      tile.row_pitch = static_cast<int>(least + ((pitch - least) % load + load) % load);
      tile.group_pitch = static_cast<int>(round_up(tile.row_pitch * pack, kernels::kWordBytes));
      if (tile.group_pitch / kernels::kWordBytes % 2 == 0) tile.group_pitch += kernels::kWordBytes;
      const int64_t loads = blocks_over(row_bytes + load - bytes, load);
      tile.lanes_log2 = std::bit_width(static_cast<uint64_t>(loads - 1));
    }
    return static_cast<uint64_t>(groups * tile.group_pitch + kAround);
  }

  // As many as are busy with all blocks at once, and have columns enough.
  int64_t threads_for(const Problem& problem, int64_t least) const {
    const int64_t matrices = matrices_of(problem);
    const int64_t multiprocessors =
        problem.multiprocessors != 0 ? problem.multiprocessors : kSomeMultiprocessors;
    const int64_t blocks = blocks_over(problem.rows + tiling.behind_x, tiling.tile_x) *
                           blocks_over(problem.cols, tiling.tile_y) * matrices;
    int64_t threads = 512;
    const auto is_too_many = [&] {
      return threads / 32 * kLeastWarpCols > tiling.tile_y << tile.bands_log2 ||
             blocks > kBusyThreads * multiprocessors / threads;
    };
    while (threads > std::max<int64_t>(128, least) && is_too_many()) threads /= 2;
    return threads;
  }

 public:
  static constexpr int64_t kWidths[] = {56, 112, 240, 0};
};

// Calls body(kernel) for an element size and a load.
template <class Body>
void with_kernel(uint32_t element_bytes, int load, const Body& body) {
  with_constant<1, 2>(element_bytes, [&](auto bytes) {
    with_constant<0, 4, 16>(load, [&](auto of_load) { body(kernels::lanes<bytes(), of_load()>); });
  });
}

struct Lanes {
  static Card card() {
    return cuda_card({.name = "lanes",
                      .summary = "small matrices of rows at any element: a lane has rows",
                      .element_sizes = 1 | 2,
                      .max_batch_rank = 1,
                      .prior_rank = 55,
                      .axes = {{"width", {std::begin(Cut::kWidths), std::end(Cut::kWidths)}}}});
  }

  static Quote quote(const Problem& problem, const Config& config) {
    const Cut cut(problem, config["width"]);
    Quote quote = quote_tiles(problem, cut.tiling);
    const auto rows = static_cast<uint64_t>(std::min(cut.tiling.tile_x, problem.rows));
    if (cut.load == 0) quote.demand.load_run *= rows;
    // Sectors that two blocks write are joined in L2.
    if (problem.rows >= cut.tiling.tile_x)
      quote.demand.store_run = std::max(quote.demand.store_run, kStoreRun);
    quote.demand.slower_percent = slower_percent(problem, cut);
    return quote;
  }

  // The part of the rows of all tiles that are there.
  static double filled(const Problem& problem, const Cut& cut) {
    const int64_t tiles = blocks_over(problem.rows + cut.tiling.behind_x, cut.tiling.tile_x);
    return static_cast<double>(problem.rows) / static_cast<double>(tiles * cut.tiling.tile_x);
  }

  // Bytes whose rows are loaded by words take longer, and so do tiles that are filled in part. The
  // wider a tile, the further apart its stores lie, which costs the more, the more is moved, and
  // nothing where rows of the output are as short as a tile. Long ones are the further apart
  // themselves. Gaps between rows cost few columns the most, and batches that are not
  // large. Few bytes are moved sooner by simpler kernels, those of batches most of all. NOTES.md
  // has the figures.
  static uint32_t slower_percent(const Problem& problem, const Cut& cut) {
    constexpr double kUnfilled = -0.6;                 // exponent
    constexpr double kNarrow = 56;                     // columns
    constexpr double kMany = 4 << 20, kDoublings = 5;  // bytes, and how often they double
    constexpr double kHuge = 32 << 20, kHugeDoublings = 3;
    constexpr double kNearBands = 2, kLongRow = 16 << 10, kLongDoublings = 5;
    constexpr int64_t kFew = 2 << 20;
    constexpr double kLargeBatch = 16 << 20, kBatchWithGaps = 0.5;
    constexpr double kBatch = 1.09, kBatchDoubling = 0.1;
    constexpr int64_t kWide = 112, kFewWhole = 80;  // columns
    constexpr int64_t kStrip = 160, kFewCols = 32, kVeryFewCols = 24,
                      kFarRows = 128;  // columns, between gaps
    const int64_t row_bytes = problem.rows * problem.element_bytes;
    const auto is_beyond = [&](int64_t bytes) { return row_bytes > bytes / problem.cols; };
    const auto row = static_cast<double>(row_bytes);
    const double bytes = row * static_cast<double>(problem.cols * matrices_of(problem));
    // Doublings beyond a size, as a part of so many.
    const auto doubled = [](double value, double from, double doublings, double least = 0) {
      return std::clamp(std::log2(value / from) / doublings, least, 1.0);
    };
    double slower = std::pow(filled(problem, cut), kUnfilled);
    if (cut.load == kernels::kWordBytes && problem.element_bytes == 1) slower *= 1.08;
    const double apart = std::max(0.0, 1 - kNarrow / static_cast<double>(cut.tile.width));
    slower += 0.45 * apart * doubled(bytes, kMany, kDoublings, 0.4) *
              doubled(row, kBandBytes, kNearBands);
    const double of_long_rows = doubled(row, kLongRow, kLongDoublings);
    const bool has_gaps = problem.in_ld != problem.cols, is_byte = problem.element_bytes == 1;
    const bool is_batch = matrices_of(problem) > 1;
    if (is_byte)
      slower += 0.30 * of_long_rows * doubled(bytes, kHuge, kHugeDoublings);
    else if ((!has_gaps || problem.cols > kStrip) && !(is_batch && cut.tile.width <= kNarrow))
      slower += (0.28 + 0.13 * of_long_rows) * doubled(bytes, kHuge, kHugeDoublings);
    if (has_gaps) slower *= 1 + 0.15 * doubled(bytes, kMany, kHugeDoublings);
    if (has_gaps && problem.cols < kFewCols)
      slower *= is_byte && problem.in_ld >= kFarRows && bytes > 2 * kMany ? 1.7 : 1.25;
    if (has_gaps && problem.cols < kVeryFewCols) slower *= 1.35;
    if (is_batch && bytes < kLargeBatch && (has_gaps || problem.out_ld != problem.rows))
      slower += kBatchWithGaps;
    if (!is_beyond(kFew)) slower += 0.15;
    if (is_byte && !is_batch) slower += 0.1;
    if (cut.load == 0 && bytes > kLargeBatch && (is_batch || problem.cols < kFewWhole))
      slower += 0.15;
    slower += slower_of_few(problem) + (cut.load != 0 && cut.tile.width > kWide ? 0.1 : 0);
    if (is_batch) slower *= kBatch + kBatchDoubling * doublings_to_many(problem);
    return static_cast<uint32_t>(100 * (slower - 1));
  }

  Lanes(const Problem& problem, const Config& config)
      : problem_(problem), cut_(problem, config["width"]) {
    with_kernel(problem.element_bytes, cut_.load, [&](auto kernel) {
      allow_shared_bytes("lanes", kernel, cut_.tiling.shared_bytes);
    });
  }

  void launch(const Launch& launch) const {
    const int64_t bytes = problem_.element_bytes;
    const Tiling& tiling = cut_.tiling;
    const auto launch_part = [&](const auto& part) {
      with_kernel(problem_.element_bytes, cut_.load, [&](auto kernel) {
        launch_kernel(
            "lanes", kernel, part.grid, tiling.block(), tiling.shared_bytes, launch.stream,
            reinterpret_cast<const unsigned char*>(part.in),
            reinterpret_cast<unsigned char*>(part.out),
            kernels::LanesMatrix{part.rows, part.cols, problem_.in_ld * bytes,
                                 problem_.out_ld * bytes, problem_.batch[0].in_stride * bytes,
                                 problem_.batch[0].out_stride * bytes},
            cut_.tile);
      });
    };
    if (bytes == 1)
      for_each_part<Element<1>>(problem_, launch, tiling, launch_part);
    else
      for_each_part<Element<2>>(problem_, launch, tiling, launch_part);
  }

  Problem problem_;
  Cut cut_;
};

}  // namespace

XPOSE_PLUGIN("cuda_lanes", "1.0", Lanes)
