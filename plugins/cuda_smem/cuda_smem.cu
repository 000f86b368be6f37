// One kernel, two strategies: shared memory with plain rows and with padded ones.
#include <xpose/cuda.hpp>

#include "../kit/cuda/cuda_card.hpp"
#include "../kit/cuda/tile_shape.hpp"
#include "../kit/matrices.hpp"
#include "smem.cuh"

using namespace xpose;
using namespace xpose::plugin;

namespace {

constexpr int kTilesAcross = 1;

template <bool Padded>
struct Smem {
  static Card card() {
    return cuda_card({.name = Padded ? "smem_pad" : "smem",
                      .summary = Padded ? "a tile through shared memory with padded rows"
                                        : "a tile through shared memory",
                      .max_batch_rank = 1,
                      .prior_rank = Padded ? 110 : 130,
                      .axes = tile_axes(Padded)});
  }

  static Quote quote(const Problem& problem, const Config& config) {
    Quote quote = quote_tile(problem, config, Padded, kTilesAcross);
    if (!Padded) quote.demand.slower_percent += unpadded_percent(problem);
    return quote;
  }

  // Without padding words meet in banks, which few bytes do not show. NOTES.md has the
  // measurements.
  static uint32_t unpadded_percent(const Problem& problem) {
    constexpr int64_t kFew = 512 << 10;
    const uint32_t bytes = problem.element_bytes;
    return bytes < 4 ? 0 : bytes == 8 && bytes_of(problem) > kFew ? 15 : 3;
  }

  Smem(const Problem& problem, const Config& config)
      : problem_(problem), shape_(problem, config, Padded, kTilesAcross) {}

  void launch(const Launch& launch) const {
    with_element(problem_.element_bytes, [&]<class E>(E) {
      with_tile(shape_, [&](auto tile_rows, auto items) {
        launch_tiles("smem", kernels::smem<E, tile_rows(), items()>, problem_, launch,
                     shape_.tiling, shape_.pitch);
      });
    });
  }

  Problem problem_;
  TileShape shape_;
};

}  // namespace

XPOSE_PLUGIN("cuda_smem", "1.0", Smem<false>, Smem<true>)
