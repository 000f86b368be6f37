// One kernel for rows that begin at any element, for every element size.
#include <algorithm>
#include <cmath>
#include <string>
#include <xpose/cuda.hpp>

#include "../kit/cuda/cuda_card.hpp"
#include "../kit/cuda/few_bytes.hpp"
#include "../kit/matrices.hpp"
#include "unaligned.cuh"

using namespace xpose;
using namespace xpose::plugin;

namespace {

// Of a tile: bytes of its input rows, and of its output rows.
struct TileBytes {
  int width, height;
};

// Fewer bytes a thread leave more warps to hide latency with, until loads in flight run out. 1-byte
// elements were measured with twice as many.
constexpr int threads_of(int bytes, TileBytes tile) {
  return std::clamp(tile.width / bytes * tile.height / (bytes == 1 ? 128 : 64), 256, 512);
}

template <int Bytes, int Width, int Height>
using TileOf = kernels::StagedTile<Bytes, Height / Bytes, Width / Bytes,
                                   threads_of(Bytes, TileBytes{Width, Height})>;

// 64 registers, which the loads in flight of a tile of bytes need.
constexpr int kResidentThreads = 1024;

// Why a tile is not compiled for an element size, or null.
constexpr const char* refusal(uint32_t bytes, TileBytes tile) {
  if (bytes == 16 && tile.width < 512)
    return "16-byte elements need width=512, a load for each lane";
  if (bytes == 1 && tile.width > 256)
    return "1-byte elements need width=256, for enough registers and blocks";
  if (bytes <= 2 && tile.height > 256)
    return "elements of 1 and 2 bytes need height=128 or 256, for enough resident blocks";
  if (bytes > 2 && tile.height < 256) return "elements above 2 bytes need height=256 or 512";
  if (tile.height < 128 && tile.width > 256) return "height=64 needs width=256, for small matrices";
  return nullptr;
}

// Bytes do not gain.
bool asks_ahead(const Problem& problem, TileBytes tile) {
  return problem.element_bytes > 1 && stays_in_l2(problem, tile.width);
}

// Calls body(StagedTile) for a tile that is not refused.
template <class Body>
void with_tile(uint32_t element_bytes, TileBytes tile, const Body& body) {
  with_constant<1, 2, 4, 8, 16>(element_bytes, [&](auto bytes) {
    with_constant<256, 512>(tile.width, [&](auto width) {
      with_constant<64, 128, 256, 512>(tile.height, [&](auto height) {
        if constexpr (refusal(bytes(), TileBytes{width(), height()}) == nullptr)
          body(TileOf<bytes(), width(), height()>{});
      });
    });
  });
}

// Pieces of output rows begin up to a sector before the tile.
template <class Tile>
Tiling tiling_of() {
  return {.tile_x = Tile::kRows,
          .tile_y = Tile::kCols,
          .behind_x = Tile::kHalo - 1,
          .block_x = Tile::kThreads,
          .x_along = Along::input_col,
          .shared_bytes = Tile::kSharedBytes,
          .max_shared_bytes = kMaxAllowedSharedBytes};
}

// Bytes that the stores of a full tile of any height count as.
constexpr uint64_t kStoreRun = 256;

struct Unaligned {
  static Card card() {
    return cuda_card(
        {.name = "unaligned",
         .summary = "rows at any element, by aligned words, shifts and whole output sectors",
         .max_batch_rank = 1,
         .prior_rank = 60,
         .axes = {{"width", {256, 512}}, {"height", {256, 128, 512, 64}}}});
  }

  static TileBytes tile_of(const Config& config) {
    return {static_cast<int>(config["width"]), static_cast<int>(config["height"])};
  }

  static Quote quote(const Problem& problem, const Config& config) {
    const TileBytes tile = tile_of(config);
    if (const char* why = refusal(problem.element_bytes, tile))
      throw Unsupported("width=" + std::to_string(tile.width) +
                        ",height=" + std::to_string(tile.height) + ": " + why);
    Quote quote;
    with_tile(problem.element_bytes, tile, [&]<class Tile>(Tile) {
      quote = quote_tiles(problem, tiling_of<Tile>());
      quote.launch += launch_together(problem, tiling_of<Tile>(), most_together(problem, tile));
      quote.demand.slower_percent = slower_percent<Tile>(problem) + shape_percent(problem, tile);
      // Whole sectors are stored, so that a lower tile moves no more of them.
      const auto out_row = static_cast<uint64_t>(problem.rows * Tile::kBytes);
      quote.demand.store_run = std::max(quote.demand.store_run, std::min(out_row, kStoreRun));
    });
    return quote;
  }

  // Of the part of a tile's columns that are there, for the time.
  static double unfilled_exponent(int64_t bytes, int64_t cols, int64_t tile_cols) {
    if (cols > tile_cols || bytes <= 2) return -0.4;
    return bytes == 4 ? -0.25 : -0.1;
  }

  // The part of the tiles along an axis that is there. `behind`: elements beyond the extent that
  // may ask for one more tile.
  static double filled(int64_t extent, int64_t tile, int64_t behind = 0) {
    return static_cast<double>(extent) /
           static_cast<double>(blocks_over(extent + behind, tile) * tile);
  }

  // Of the part of a tile's rows that are there, for the time.
  static double unfilled_rows_exponent(int64_t bytes) {
    return bytes == 1 ? -0.7 : bytes == 2 ? -0.45 : -0.2;
  }

  // Small elements in a batch take longer, the more so where rows are short or bytes are few.
  static double slower_in_batches(const Problem& problem) {
    constexpr double kOfBytes = 1.25, kOfTwo = 1.05, kDoubling = 0.06, kHalving = 0.12, kRow = 256;
    const auto row = static_cast<double>(problem.cols * problem.element_bytes);
    return (problem.element_bytes == 1 ? kOfBytes : kOfTwo) +
           kDoubling * doublings_to_many(problem) + kHalving * std::max(0.0, std::log2(kRow / row));
  }

  // A tile that is filled in part takes longer than its part, the more so where it is narrow, since
  // short rows leave lanes idle. Elements at the ends of rows with gaps are loaded and stored one
  // by one. Tiles of halfwords in a batch have the ends of many rows, the more so the shorter those
  // of the output are. Small elements that come from a few long rows take longer as well, and those
  // in rows of whole vectors, which other tiles move. Elements of 1 and 4 bytes take longer than
  // the figures of their tiles say. NOTES.md has the measurements.
  template <class Tile>
  static uint32_t slower_percent(const Problem& problem) {
    constexpr int64_t kTileCols = Tile::kCols;
    constexpr uint32_t kVector = 16;  // bytes
    const int64_t bytes = problem.element_bytes, out_row = problem.rows * bytes;
    // Pieces of output rows begin up to a sector before their tile, which may take a tile more.
    const double rows = filled(problem.rows, Tile::kRows, bytes <= 2 ? Tile::kHalo - 1 : 0);
    const double cols = filled(problem.cols, kTileCols);
    double slower = std::pow(rows, unfilled_rows_exponent(bytes)) *
                    std::pow(cols, unfilled_exponent(bytes, problem.cols, kTileCols));
    // Rows that a tile of twice the width has whole.
    if (bytes <= 4 && problem.cols > kTileCols && problem.cols <= 2 * kTileCols) slower *= 1.12;
    if (problem.out_ld != problem.rows)
      slower *= 1 + std::min(0.6, (bytes <= 2 ? 150 : 200 / static_cast<double>(bytes)) /
                                      static_cast<double>(out_row));
    else if (bytes == 2 && matrices_of(problem) > 1)
      slower *= 1 + std::min(0.6, 130 / static_cast<double>(out_row));
    const bool has_gaps = problem.in_ld != problem.cols;
    if (has_gaps && cols < 0.8) slower *= bytes == 1 ? 1.5 : bytes == 2 ? 1.2 : 1;
    // Tiles at the ends of packed rows check what they load.
    const double at_ends =
        std::min(2.0 / static_cast<double>(blocks_over(problem.cols, kTileCols)), 1.0);
    if (has_gaps && bytes <= 2 && cols >= 0.8)
      slower *= 1 + 0.3 * at_ends;
    else if (!has_gaps && bytes == 1)
      slower *= 1 + 0.1 * at_ends;
    if (out_row < 256 && problem.rows < problem.cols)
      slower *= bytes == 1 ? 1.15 : bytes == 2 ? 1.1 : 1;
    if (bytes <= 2 && matrices_of(problem) > 1) slower *= slower_in_batches(problem);
    if (bytes == 1 || bytes == 4) slower += bytes == 1 ? 0.15 : 0.1;
    if (bytes <= 2 && std::min(problem.in_alignment, problem.out_alignment) >= kVector)
      slower += 0.2;
    return static_cast<uint32_t>(100 * (slower + slower_of_few(problem) - 1));
  }

  // Of a large matrix whose short side is longer than a tile of 256 bytes and at most two of them.
  // Tiles of 4-byte elements that are as high as wide move it faster, and of 2-byte elements other
  // ones than 256x256 where the output's rows are short.
  static uint32_t shape_percent(const Problem& problem, TileBytes tile) {
    constexpr int64_t kLarge = 16 << 20;
    const int64_t bytes = problem.element_bytes;
    const int64_t side = std::min(problem.rows, problem.cols) * bytes;
    if (bytes_of(problem) < kLarge || side <= 256 || side > 512) return 0;
    if (bytes == 4) return tile.width == tile.height ? 0 : 7;
    const bool is_flat = problem.rows < problem.cols;
    return bytes == 2 && is_flat && tile.width == 256 && tile.height == 256 ? 10 : 0;
  }

  Unaligned(const Problem& problem, const Config& config)
      : problem_(problem), tile_(tile_of(config)), ahead_(asks_ahead(problem, tile_)) {
    with_tile(problem_.element_bytes, tile_, []<class Tile>(Tile) {
      allow_shared_bytes("unaligned", kernels::unaligned<Tile, kResidentThreads>,
                         Tile::kSharedBytes);
    });
  }

  void launch(const Launch& launch) const {
    with_tile(problem_.element_bytes, tile_, [&]<class Tile>(Tile) {
      constexpr int kBytes = Tile::kBytes;
      const Tiling tiling = tiling_of<Tile>();
      for_each_part<Element<kBytes>>(
          problem_, launch, tiling, [&](const Part<Element<kBytes>>& part) {
            auto grid = part.grid;
            const uint32_t matrices =
                matrices_together(problem_, most_together(problem_, tile_), grid);
            launch_kernel("unaligned", kernels::unaligned<Tile, kResidentThreads>, grid,
                          tiling.block(), tiling.shared_bytes, launch.stream,
                          reinterpret_cast<const unsigned char*>(part.in),
                          reinterpret_cast<unsigned char*>(part.out), part.rows, part.cols,
                          problem_.in_ld * kBytes, problem_.out_ld * kBytes,
                          problem_.batch[0].in_stride * kBytes,
                          problem_.batch[0].out_stride * kBytes, matrices, ahead_);
          });
    });
  }

  // Blocks of matrices that go together: those of so much of the output's rows, since all tiles
  // share lines with their neighbours, and small elements more than they gain.
  static int64_t most_together(const Problem& problem, TileBytes tile) {
    constexpr int64_t kNear = 128 << 10;  // bytes
    return problem.element_bytes >= 4 ? kNear / tile.height : 0;
  }

  Problem problem_;
  TileBytes tile_;
  bool ahead_;
};

}  // namespace

XPOSE_PLUGIN("cuda_unaligned", "2.0", Unaligned)
