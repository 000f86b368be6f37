// The strategy my_idea: 32x32 tiles in shared memory, with a column of padding against bank
// conflicts.
#include <xpose/cuda.hpp>

using namespace xpose::plugin;

template <class E, int Tile>
__global__ void tiles(const E* in, E* out, int64_t rows, int64_t cols, int64_t in_ld,
                      int64_t out_ld) {
  __shared__ E tile[Tile][Tile + 1];  // (Tile, Tile + 1)
  const int64_t row = int64_t{blockIdx.x} * Tile, col = int64_t{blockIdx.y} * Tile;
  for (int r = threadIdx.y; r < Tile; r += blockDim.y)  // reads along input rows
    if (row + r < rows && col + threadIdx.x < cols)
      tile[r][threadIdx.x] = in[(row + r) * in_ld + col + threadIdx.x];
  __syncthreads();                                      // outside every condition
  for (int c = threadIdx.y; c < Tile; c += blockDim.y)  // writes along output rows
    if (col + c < cols && row + threadIdx.x < rows)
      out[(col + c) * out_ld + row + threadIdx.x] = tile[threadIdx.x][c];
}

struct MyIdeaStrategy {
  static constexpr int kTile = 32;

  // The name and summary that users see, and the values of each axis; the first is the default.
  static Card card() {
    return {.name = "my_idea",
            .summary = "32x32 tiles in shared memory",
            .device_kind = XPOSE_CUDA,
            .element_sizes = 4,
            .axes = {{"rows", {8, 16, 32}}}};
  }

  // Throw Unsupported("why") for a problem that this config cannot serve.
  static Quote quote(const Problem& problem, const Config& config) {
    if (blocks(problem.cols) > 65535) throw Unsupported("more columns than a grid has blocks for");
    return {.launch = describe_launch({blocks(problem.rows), blocks(problem.cols)},
                                      {kTile, static_cast<uint64_t>(config["rows"])})};
  }

  MyIdeaStrategy(const Problem& problem, const Config& config)
      : problem_(problem), rows_(config["rows"]) {}

  // out[c * out_ld + r] = in[r * in_ld + c], enqueued on the stream.
  void launch(const Launch& launch) const {
    const Shape grid = {static_cast<uint32_t>(blocks(problem_.rows)),
                        static_cast<uint32_t>(blocks(problem_.cols))};
    launch_kernel("tiles", tiles<uint32_t, kTile>, grid, {kTile, rows_}, 0, launch.stream,
                  static_cast<const uint32_t*>(launch.in), static_cast<uint32_t*>(launch.out),
                  problem_.rows, problem_.cols, problem_.in_ld, problem_.out_ld);
  }

  static uint64_t blocks(int64_t extent) { return (extent + kTile - 1) / kTile; }

  Problem problem_;
  unsigned rows_;
};

XPOSE_PLUGIN("my_idea", "1.0", MyIdeaStrategy)
