// One kernel, two strategies: two tiles a block, with plain rows and with padded ones.
#include <algorithm>
#include <cmath>
#include <xpose/cuda.hpp>

#include "../kit/cuda/cuda_card.hpp"
#include "../kit/cuda/tile_shape.hpp"
#include "smem_unroll2.cuh"

using namespace xpose;
using namespace xpose::plugin;

namespace {

constexpr int kTilesAcross = 2;

template <bool Padded>
struct SmemUnroll2 {
  static Card card() {
    return cuda_card({.name = Padded ? "smem_unroll2_pad" : "smem_unroll2",
                      .summary = Padded ? "two tiles a block through shared memory with padded rows"
                                        : "two tiles a block through shared memory",
                      .max_batch_rank = 1,
                      .prior_rank = Padded ? 100 : 120,
                      .axes = tile_axes(Padded)});
  }

  static Quote quote(const Problem& problem, const Config& config) {
    Quote quote = quote_tile(problem, config, Padded, kTilesAcross);
    const double percent = slower_percent(problem.element_bytes) + block_percent(problem, config) +
                           (problem.batch_rank != 0 ? kBatchPercent : 0);
    quote.demand.slower_percent += static_cast<uint32_t>(std::max(percent, 0.0));
    return quote;
  }

  // Of small elements in a batch large tiles take longer than small ones, and so do many elements a
  // thread; of others four elements a thread. NOTES.md says where the measurements are.
  static double block_percent(const Problem& problem, const Config& config) {
    constexpr double kUsualTile = 512, kTilePercent = 7, kUsualItems = 2, kItemsPercent = 10;
    const auto rows = static_cast<double>(config["tile_y"]);
    const double tile = rows * static_cast<double>(config["block_x"]);
    const double items = rows / static_cast<double>(config["block_y"]);
    if (problem.element_bytes > 2 || problem.batch_rank == 0)
      return items > kUsualItems ? kItemsPercent : 0;
    return kTilePercent * std::log2(tile / kUsualTile) +
           kItemsPercent * std::log2(items / kUsualItems);
  }

  static constexpr uint32_t kBatchPercent = 5;

  // Without padding words meet in banks. NOTES.md has the measurements.
  static uint32_t slower_percent(uint32_t element_bytes) {
    if (!Padded) return element_bytes <= 4 ? 65 : element_bytes == 8 ? 27 : 6;
    return element_bytes == 1 ? 45 : element_bytes == 2 ? 10 : element_bytes <= 8 ? 12 : 5;
  }

  SmemUnroll2(const Problem& problem, const Config& config)
      : problem_(problem), shape_(problem, config, Padded, kTilesAcross) {}

  void launch(const Launch& launch) const {
    with_element(problem_.element_bytes, [&]<class E>(E) {
      with_tile(shape_, [&](auto tile_rows, auto items) {
        launch_tiles("smem_unroll2", kernels::smem_unroll2<E, tile_rows(), items()>, problem_,
                     launch, shape_.tiling, shape_.pitch);
      });
    });
  }

  Problem problem_;
  TileShape shape_;
};

}  // namespace

XPOSE_PLUGIN("cuda_smem_unroll2", "1.0", SmemUnroll2<false>, SmemUnroll2<true>)
