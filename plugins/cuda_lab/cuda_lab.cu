// The experiments of `xpose lab`: small kernels that each show one thing about memory. They have
// the form of strategies, so that the simulator and the counters see them as they see a transpose.
#include "multiply.cuh"
#include "records.cuh"
#include "reversal.cuh"
#include "tile.cuh"

using namespace xpose;
using namespace xpose::plugin;

namespace {

using Kernel = void (*)(const float* in, float* out);

// The parts of an experiment: the kernel, its launch, and the (rows, cols) floats that it reads. It
// writes no more floats than that.
struct Experiment {
  const char* name;
  const char* summary;
  Kernel kernel;
  Shape block;
  int64_t rows, cols;
  uint64_t shared_bytes = 0;  // dynamic
  Shape grid = {};
};

template <int X, int Y>
constexpr Experiment on_tile(const char* name, const char* summary, Kernel kernel,
                             int dynamic_pad = -1) {
  const uint64_t shared_bytes = dynamic_pad < 0 ? 0 : sizeof(float) * Y * (X + dynamic_pad);
  return {name, summary, kernel, {X, Y}, Y, X, shared_bytes};
}

// A square tile of 32 x 32 words and a rectangular one of 16 rows of 32.
constexpr Experiment kSquareRowRow =
    on_tile<32, 32>("square_row_row", "write and read by rows", lab::row_row<32, 32>);
constexpr Experiment kSquareColCol =
    on_tile<32, 32>("square_col_col", "write and read by columns", lab::col_col<32, 32>);
constexpr Experiment kSquareRowCol =
    on_tile<32, 32>("square_row_col", "write by rows, read by columns", lab::row_col<32, 32, 0>);
constexpr Experiment kSquareRowColDynamic =
    on_tile<32, 32>("square_row_col_dynamic", "the same in dynamic shared memory",
                    lab::row_col_dynamic<32, 32, 0>, 0);
constexpr Experiment kSquareRowColPad =
    on_tile<32, 32>("square_row_col_pad", "a word of padding a row", lab::row_col<32, 32, 1>);
constexpr Experiment kSquareRowColDynamicPad =
    on_tile<32, 32>("square_row_col_dynamic_pad", "a word of padding a row, dynamic",
                    lab::row_col_dynamic<32, 32, 1>, 1);
constexpr Experiment kRectangleRowRow =
    on_tile<32, 16>("rectangle_row_row", "write and read by rows", lab::row_row<32, 16>);
constexpr Experiment kRectangleColCol =
    on_tile<32, 16>("rectangle_col_col", "write and read by columns", lab::col_col<32, 16>);
constexpr Experiment kRectangleRowCol =
    on_tile<32, 16>("rectangle_row_col", "write by rows, read by columns", lab::row_col<32, 16, 0>);
constexpr Experiment kRectangleRowColDynamic =
    on_tile<32, 16>("rectangle_row_col_dynamic", "the same in dynamic shared memory",
                    lab::row_col_dynamic<32, 16, 0>, 0);
constexpr Experiment kRectangleRowColPad1 =
    on_tile<32, 16>("rectangle_row_col_pad1", "a word of padding a row", lab::row_col<32, 16, 1>);
constexpr Experiment kRectangleRowColPad2 = on_tile<32, 16>(
    "rectangle_row_col_pad2", "two words of padding a row", lab::row_col<32, 16, 2>);
constexpr Experiment kRectangleRowColDynamicPad2 =
    on_tile<32, 16>("rectangle_row_col_dynamic_pad2", "two words of padding a row, dynamic",
                    lab::row_col_dynamic<32, 16, 2>, 2);

constexpr int kWords = 256;
constexpr Experiment kReversal = {
    "reversal", "a block turns its words around", lab::reverse<kWords>, {kWords}, 1, kWords};
constexpr Experiment kReversalDynamic = {"reversal_dynamic",
                                         "the same in dynamic shared memory",
                                         lab::reverse_dynamic<kWords>,
                                         {kWords},
                                         1,
                                         kWords,
                                         kWords * sizeof(float)};

constexpr Experiment kRecord = {
    "record", "a record of 32 floats a thread", lab::records<0>, {32}, 32, 32};
constexpr Experiment kRecordPad = {
    "record_pad", "a float of padding a record", lab::records<1>, {32}, 32, 32};

constexpr int kMatrix = 128;  // rows and columns of a factor
constexpr int kTile = 32;
constexpr Shape kTiles = {kMatrix / kTile, kMatrix / kTile};
constexpr Experiment kProduct = {"product",
                                 "every thread reads its row and column",
                                 lab::multiply<kMatrix, kTile>,
                                 {kTile, kTile},
                                 2 * kMatrix,
                                 kMatrix,
                                 0,
                                 kTiles};
constexpr Experiment kProductTiled = {"product_tiled",
                                      "a block shares its tiles of 32 x 32",
                                      lab::multiply_tiled<kMatrix, kTile>,
                                      {kTile, kTile},
                                      2 * kMatrix,
                                      kMatrix,
                                      0,
                                      kTiles};

template <const Experiment& kExperiment>
struct Lab {
  static Card card() {
    return {.name = kExperiment.name,
            .summary = kExperiment.summary,
            .device_kind = XPOSE_CUDA,
            .role = XPOSE_EXPERIMENT,
            .element_sizes = sizeof(float)};
  }

  // Says in its reason which problem it takes.
  static Quote quote(const Problem& problem, const Config&) {
    if (problem.rows != kExperiment.rows || problem.cols != kExperiment.cols)
      throw Unsupported("needs a matrix of " + std::to_string(kExperiment.rows) + "x" +
                        std::to_string(kExperiment.cols));
    const Shape &grid = kExperiment.grid, &block = kExperiment.block;
    return {.launch =
                describe_launch({grid.x, grid.y}, {block.x, block.y}, kExperiment.shared_bytes)};
  }

  Lab(const Problem&, const Config&) {}

  void launch(const Launch& launch) const {
    launch_kernel(kExperiment.name, kExperiment.kernel, kExperiment.grid, kExperiment.block,
                  kExperiment.shared_bytes, launch.stream, static_cast<const float*>(launch.in),
                  static_cast<float*>(launch.out));
  }
};

}  // namespace

XPOSE_PLUGIN("cuda_lab", "1.0", Lab<kSquareRowRow>, Lab<kSquareColCol>, Lab<kSquareRowCol>,
             Lab<kSquareRowColDynamic>, Lab<kSquareRowColPad>, Lab<kSquareRowColDynamicPad>,
             Lab<kRectangleRowRow>, Lab<kRectangleColCol>, Lab<kRectangleRowCol>,
             Lab<kRectangleRowColDynamic>, Lab<kRectangleRowColPad1>, Lab<kRectangleRowColPad2>,
             Lab<kRectangleRowColDynamicPad2>, Lab<kReversal>, Lab<kReversalDynamic>, Lab<kRecord>,
             Lab<kRecordPad>, Lab<kProduct>, Lab<kProductTiled>)
