// Matrices of elements of 2 to 16 bytes that are no words, or whose addresses words do not divide.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <xpose/cuda.hpp>

#include "../kit/cuda/cuda_card.hpp"
#include "odd.cuh"

using namespace xpose;
using namespace xpose::plugin;

namespace {

using cuda_odd::Matrices;
using cuda_odd::OddTile;

// Axes of elements: a problem keeps the bytes of an element together.
struct Elements {
  int bytes;
  Matrices matrices;
};

constexpr int64_t kMostBytes = 16;  // of an element

// Nothing where a problem is of no such matrices. A batch dimension along which output elements
// follow each other has the rows, one along which input elements do the columns.
std::optional<Elements> elements_of(const Problem& problem) {
  const int64_t unit = problem.element_bytes, bytes = problem.cols * unit;
  const bool has_words = bytes % 4 == 0 || bytes == 2;
  const bool is_odd = bytes > 1 && bytes <= kMostBytes && (!has_words || unit < (bytes & -bytes));
  if (problem.rows != 1 || problem.out_ld != 1 || !is_odd) return std::nullopt;
  Elements of{static_cast<int>(bytes), {}};
  Matrices& matrices = of.matrices;
  matrices.end = bytes;
  for (uint32_t i = 0; i < problem.batch_rank; ++i) {
    const auto [extent, in_stride, out_stride] = problem.batch[i];
    const int64_t in = in_stride * unit, out = out_stride * unit;
    (in < 0 ? matrices.low : matrices.end) += std::abs(in) * (extent - 1);
    if (matrices.rows == 0 && out == bytes) {
      matrices.rows = extent;
      matrices.in_pitch = in;
    } else if (matrices.cols == 0 && in == bytes) {
      matrices.cols = extent;
      matrices.out_pitch = out;
    } else {
      if (matrices.dims == cuda_odd::kMostDims || extent > INT32_MAX) return std::nullopt;
      matrices.dim[matrices.dims++] = {in, out, static_cast<uint32_t>(extent)};
    }
  }
  if (matrices.rows == 0 || matrices.cols == 0) return std::nullopt;
  return of;
}

// Why a tile is not compiled, or null: short runs, too little for a block, or too few blocks.
constexpr const char* refusal(int64_t bytes, int64_t rows, int64_t cols) {
  constexpr int64_t kLeastRun = 160, kLeast = 4 << 10, kMost = 28 << 10;  // bytes
  if (rows * bytes < kLeastRun) return "needs more rows, for runs of 160 bytes and more";
  if (rows * cols * bytes < kLeast) return "needs a larger tile, of 4 KiB and more";
  if (rows * cols * bytes > kMost) return "needs a smaller tile, of at most 28 KiB";
  return nullptr;
}

// Tiles of permute span several axes, where the two of the matrices are short.
constexpr double kLeastFilled = 1.0 / 16;

// The tiles of a problem. Throws Unsupported where it is not served.
struct Work {
  Elements elements;
  int64_t rows, cols, blocks;  // of a tile; of the grid

  Work(const Problem& problem, const Config& config) : rows(config["rows"]), cols(config["cols"]) {
    if (problem.in_place) throw Unsupported("does not work in place");
    const std::optional<Elements> found = elements_of(problem);
    if (!found)
      throw Unsupported(
          "needs elements of 2 to 16 bytes that are no words, or that words do not divide the "
          "addresses of, and that follow each other along an axis of the input and along another "
          "one of the output");
    elements = *found;
    if (const char* const why = refusal(elements.bytes, rows, cols))
      throw Unsupported("rows=" + std::to_string(rows) + ",cols=" + std::to_string(cols) + ' ' +
                        why);
    Matrices& of = elements.matrices;
    const int64_t down = blocks_over(of.rows * elements.bytes + cuda_odd::kSector - 1,
                                     rows * elements.bytes),
                  across = blocks_over(of.cols, cols);
    blocks = across;
    for (int32_t i = 0; i < of.dims && blocks <= INT32_MAX; ++i) blocks *= of.dim[i].extent;
    if (down > INT32_MAX || blocks > INT32_MAX / down)
      throw Unsupported("has more tiles than a grid has blocks");
    blocks *= down;
    of.tiles_down = static_cast<uint32_t>(down);
    of.tiles_across = static_cast<uint32_t>(across);
    if (filled_rows() * filled_cols() < kLeastFilled)
      throw Unsupported(
          "needs matrices that fill a sixteenth of the tiles; permute serves shorter sides");
  }

  // The part of the tiles' rows that is there, and of their columns.
  double filled_rows() const {
    return filled(elements.matrices.rows, rows, elements.matrices.tiles_down);
  }
  double filled_cols() const {
    return filled(elements.matrices.cols, cols, elements.matrices.tiles_across);
  }

  // Tiles that are filled in part, whose rows and columns are joined all the same. NOTES.md has the
  // measurements.
  uint32_t slower_percent() const {
    constexpr double kOfRows = -0.5, kOfCols = -0.3, kBoth = 0.5, kBefore = 12;
    constexpr int64_t kLowRows = 32, kSmallElement = 9;
    const double of_rows = filled_rows(), of_cols = filled_cols();
    double slower = std::pow(of_rows, kOfRows) * std::pow(of_cols, kOfCols) *
                    (1 + kBoth * (1 - of_rows) * (1 - of_cols));
    // Elements of 3 bytes keep multiprocessors busy, also with the rows before the tile.
    if (elements.bytes == 3) slower *= 1 + kBefore / static_cast<double>(rows);
    // Low tiles of small elements have short runs.
    if (rows == kLowRows && elements.bytes <= kSmallElement) slower *= 1.1;
    return static_cast<uint32_t>(100 * (slower - 1));
  }

 private:
  static double filled(int64_t extent, int64_t tile, uint32_t tiles) {
    return static_cast<double>(extent) / static_cast<double>(tile * tiles);
  }
};

struct Odd {
  static Card card() {
    return cuda_card(
        {.name = "odd",
         .summary =
             "matrices of elements of 2 to 16 bytes at addresses that words do not divide, joined "
             "in registers",
         .element_sizes = 1 | 2 | 4 | 8,
         .min_alignment = 1,
         .max_batch_rank = XPOSE_MAX_BATCH_RANK,
         .traits = XPOSE_TRAIT_PERMUTES,
         .prior_rank = 46,
         .axes = {{"rows", {64, 128, 32, 256}}, {"cols", {64, 32, 16}}}});
  }

  static Quote quote(const Problem& problem, const Config& config) {
    const Work work(problem, config);
    const Matrices& of = work.elements.matrices;
    const auto blocks = static_cast<uint64_t>(work.blocks);
    const auto run = [&](int64_t tile, int64_t extent) {
      return static_cast<uint64_t>(std::min(tile, extent) * work.elements.bytes);
    };
    Demand demand{.blocks = blocks,
                  .load_run = run(work.cols, of.cols),
                  .store_run = run(work.rows, of.rows),
                  .slower_percent = work.slower_percent()};
    with_tile(work, [&]<class Tile>(Tile) {
      demand.threads = Tile::kThreads;
      demand.shared_bytes = Tile::kSharedBytes;
    });
    return {.launch = describe_launch({blocks}, {demand.threads}, demand.shared_bytes),
            .demand = demand};
  }

  Odd(const Problem& problem, const Config& config) : work_(problem, config) {
    with_tile(work_, []<class Tile>(Tile) {
      allow_shared_bytes("odd", kernels::odd<Tile>, Tile::kSharedBytes);
    });
  }

  void launch(const Launch& launch) const {
    with_tile(work_, [&]<class Tile>(Tile) {
      launch_kernel("odd", kernels::odd<Tile>, {static_cast<uint32_t>(work_.blocks)},
                    {Tile::kThreads}, Tile::kSharedBytes, launch.stream,
                    static_cast<const unsigned char*>(launch.in),
                    static_cast<unsigned char*>(launch.out), work_.elements.matrices);
    });
  }

 private:
  // Calls body(OddTile) for the tile.
  template <class Body>
  static void with_tile(const Work& work, const Body& body) {
    with_constant<2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16>(
        work.elements.bytes, [&](auto bytes) {
          with_constant<32, 64, 128, 256>(work.rows, [&](auto rows) {
            with_constant<16, 32, 64>(work.cols, [&](auto cols) {
              using Tile = OddTile<static_cast<int>(bytes()), static_cast<int>(rows()),
                                   static_cast<int>(cols())>;
              if constexpr (refusal(Tile::kBytes, Tile::kRows, Tile::kCols) == nullptr)
                body(Tile{});
            });
          });
        });
  }

  Work work_;
};

}  // namespace

XPOSE_PLUGIN("cuda_odd", "1.0", Odd)
