// Tiles of 16-byte pieces through shared memory, for matrices whose rows are 16-byte aligned.
#include <algorithm>
#include <cmath>
#include <xpose/cuda.hpp>

#include "../kit/cuda/cuda_card.hpp"
#include "../kit/matrices.hpp"
#include "tile.cuh"

using namespace xpose;
using namespace xpose::plugin;

namespace {

// Of each element size: rows of a patch, and 16-byte loads that a thread has in flight. Bytes take
// more of both, for fewer instructions: their registers leave 1024 threads resident, which is
// enough then.
constexpr int patch_rows(int element_bytes) {
  return element_bytes == 1 ? 4 : element_bytes == 16 ? 1 : 2;
}
constexpr int loads(int element_bytes) {
  return element_bytes == 1 ? 8 : element_bytes == 2 ? 4 : 2;
}

template <int Bytes, int RowBytes, int ColBytes, int Own>
using ShapeOf =
    kernels::TileShape<Bytes, RowBytes, ColBytes, Own,
                       RowBytes * ColBytes / Bytes / 16 / loads(Bytes), patch_rows(Bytes)>;

// Blocks on a multiprocessor that the registers of small elements have to leave room for.
template <class Shape>
constexpr int kMinBlocks = Shape::kElement == 1   ? 1088 / Shape::kThreads
                           : Shape::kElement == 2 ? 2048 / Shape::kThreads
                                                  : 1;

// Of a tile: bytes of its input rows, and of its output rows.
struct TileBytes {
  int row, col;
};

// Large: one tile of 512 bytes each way, for 16-byte elements, which gives it as many elements as
// others have of 8 bytes.
template <bool Large>
struct Tile {
  static Card card() {
    return cuda_card(
        {.name = Large ? "tile_512" : "tile",
         .summary = Large ? "tiles of 512 bytes each way, of 16-byte elements"
                          : "16 bytes at a time both ways, through padded shared memory",
         .element_sizes = Large ? 16 : 31,
         .min_alignment = 16,
         .max_batch_rank = 1,
         .prior_rank = 50,
         .axes = Large ? std::vector<Axis>{}
                       : std::vector<Axis>{{"row_bytes", {256, 128}}, {"col_bytes", {256, 128}}}});
  }

  static Quote quote(const Problem& problem, const Config& config) {
    Quote quote;
    with_shape(problem, tile_of(config), [&]<class Shape>(Shape) {
      quote = quote_tiles(problem, tiling_of<Shape>());
      quote.launch += launch_together(problem, tiling_of<Shape>(), most_together(problem));
    });
    quote.demand.slower_percent =
        slower_percent(problem) + unfilled_percent(problem, tile_of(config));
    return quote;
  }

  // Tiles that a short side fills in part leave threads without work, which many bytes show.
  // NOTES.md has the measurements.
  static uint32_t unfilled_percent(const Problem& problem, TileBytes tile) {
    constexpr int64_t kMany = 4 << 20;  // bytes of one side
    constexpr double kExponent = -0.4;
    if (bytes_of(problem) < kMany) return 0;
    const auto filled = [&](int64_t extent, int64_t bytes) {
      const int64_t row = extent * problem.element_bytes;
      return static_cast<double>(row) / static_cast<double>(blocks_over(row, bytes) * bytes);
    };
    return static_cast<uint32_t>(
        100 *
        (std::pow(filled(problem.cols, tile.row) * filled(problem.rows, tile.col), kExponent) - 1));
  }

  // Rows of the output that end within 16 bytes have an end that is stored for itself. Elements of
  // 16 bytes in rows that begin within sectors share more of these with the tiles beside them than
  // in tile_512.
  static uint32_t slower_percent(const Problem& problem) {
    constexpr int64_t kVector = 16, kSector = 32, kEnds = 100, kBesidesEnds = 64;
    constexpr int64_t kLeastBytes = 32 << 20, kTileSide = 16;
    constexpr uint32_t kShared = 4;
    const int64_t row_bytes = problem.rows * problem.element_bytes;
    if (row_bytes % kVector != 0)
      return static_cast<uint32_t>(100 * kEnds / (row_bytes + kBesidesEnds));
    const bool is_shared = problem.element_bytes == kVector &&
                           std::min(problem.in_alignment, problem.out_alignment) < kSector &&
                           std::min(problem.rows, problem.cols) > kTileSide &&
                           2 * bytes_of(problem) > kLeastBytes;
    return !Large && is_shared ? kShared : 0;
  }

  Tile(const Problem& problem, const Config& config)
      : problem_(problem), tile_(tile_of(config)), ahead_(asks_ahead(problem, tile_)) {
    with_shape(problem_, tile_, []<class Shape>(Shape) {
      allow_shared_bytes("tile", kernels::tile<Shape, kMinBlocks<Shape>>, Shape::kBytes);
    });
  }

  void launch(const Launch& launch) const {
    with_shape(problem_, tile_, [&]<class Shape>(Shape) {
      constexpr int kBytes = Shape::kElement;
      const Tiling tiling = tiling_of<Shape>();
      for_each_part<Element<kBytes>>(
          problem_, launch, tiling, [&](const Part<Element<kBytes>>& part) {
            auto grid = part.grid;
            const uint32_t matrices = matrices_together(problem_, most_together(problem_), grid);
            launch_kernel("tile", kernels::tile<Shape, kMinBlocks<Shape>>, grid, tiling.block(),
                          tiling.shared_bytes, launch.stream,
                          reinterpret_cast<const unsigned char*>(part.in),
                          reinterpret_cast<unsigned char*>(part.out), part.rows, part.cols,
                          problem_.in_ld * kBytes, problem_.out_ld * kBytes,
                          problem_.batch[0].in_stride * kBytes,
                          problem_.batch[0].out_stride * kBytes, matrices, ahead_);
          });
    });
  }

 private:
  static TileBytes tile_of(const Config& config) {
    if (Large) return {512, 512};
    return {static_cast<int>(config["row_bytes"]), static_cast<int>(config["col_bytes"])};
  }

  // Whether a row of the output may begin within a sector of 32 bytes.
  static bool shares_sectors(const Problem& problem) {
    const auto splits = [&](int64_t elements) {
      return elements * problem.element_bytes % 32 != 0;
    };
    return splits(problem.out_ld) || splits(problem.batch[0].out_stride) ||
           problem.out_alignment % 32 != 0;
  }

  // Blocks of matrices that go together. Bytes share more lines with their neighbours than they
  // gain.
  static int64_t most_together(const Problem& problem) {
    return problem.element_bytes == 1 ? 0 : INT32_MAX;
  }

  // Memory is read in blocks of 256 bytes; rows that begin within one share it with the tile beside
  // them.
  static bool asks_ahead(const Problem& problem, TileBytes tile) {
    return problem.in_ld * problem.element_bytes % 256 != 0 && stays_in_l2(problem, tile.row);
  }

  template <class Shape>
  static Tiling tiling_of() {
    return {.tile_x = Shape::kRows,
            .tile_y = Shape::kCols,
            .behind_x = Shape::kHalo,
            .block_x = Shape::kThreads,
            .x_along = Along::input_col,
            .shared_bytes = Shape::kBytes,
            .max_shared_bytes = kMaxAllowedSharedBytes};
  }

  // Calls body(TileShape) for the problem and the config.
  template <class Body>
  static void with_shape(const Problem& problem, TileBytes tile, const Body& body) {
    const auto with_sides = [&](auto bytes, auto row_bytes, auto col_bytes) {
      if constexpr (bytes() <= 2)
        if (shares_sectors(problem)) return body(ShapeOf<bytes(), row_bytes(), col_bytes(), 32>{});
      body(ShapeOf<bytes(), row_bytes(), col_bytes(), 16>{});
    };
    if constexpr (Large) {
      constexpr std::integral_constant<int, 512> kSide;
      with_sides(std::integral_constant<int, 16>{}, kSide, kSide);
    } else {
      with_constant<1, 2, 4, 8, 16>(problem.element_bytes, [&](auto bytes) {
        with_constant<128, 256>(tile.row, [&](auto row_bytes) {
          with_constant<128, 256>(tile.col,
                                  [&](auto col_bytes) { with_sides(bytes, row_bytes, col_bytes); });
        });
      });
    }
  }

  Problem problem_;
  TileBytes tile_;
  bool ahead_;
};

}  // namespace

XPOSE_PLUGIN("cuda_tile", "2.0", Tile<false>, Tile<true>)
