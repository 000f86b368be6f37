// The two textbook transposes, one element a thread. naive_row also serves pointers that are less
// aligned than the element, so that some CUDA strategy fits every problem.
#include <xpose/cuda.hpp>

#include "../kit/cuda/columns.hpp"
#include "../kit/cuda/cuda_card.hpp"
#include "naive_col.cuh"
#include "naive_row.cuh"

using namespace xpose;
using namespace xpose::plugin;

namespace {

Tiling tiling(const Config& config, Along x_along) {
  const int64_t x = config["block_x"], y = config["block_y"];
  return {.tile_x = x, .tile_y = y, .block_x = x, .block_y = y, .x_along = x_along};
}

struct NaiveRow {
  static Card card() {
    return cuda_card({.name = "naive_row",
                      .summary = "one element a thread, reads along input rows",
                      .min_alignment = 1,
                      .max_batch_rank = 1,
                      .prior_rank = 160,
                      .axes = {{"block_x", {32, 16, 64}}, {"block_y", {16, 8, 32}}}});
  }

  static Quote quote(const Problem& problem, const Config& config) {
    return quote_tiles(problem, tiling(config, Along::input_row));
  }

  NaiveRow(const Problem& problem, const Config& config)
      : problem_(problem), tiling_(tiling(config, Along::input_row)) {}

  void launch(const Launch& launch) const {
    const uint32_t alignment = std::min(problem_.in_alignment, problem_.out_alignment);
    with_element(problem_.element_bytes, alignment, [&]<class E>(E) {
      launch_tiles("naive_row", kernels::naive_row<E>, problem_, launch, tiling_);
    });
  }

  Problem problem_;
  Tiling tiling_;
};

struct NaiveCol {
  static Card card() {
    return cuda_card({.name = "naive_col",
                      .summary = "one element a thread, writes along output rows",
                      .max_batch_rank = 1,
                      .prior_rank = 150,
                      .axes = {{"block_x", {32, 16, 64}}, {"block_y", {16, 8, 32}}}});
  }

  static Quote quote(const Problem& problem, const Config& config) {
    constexpr uint32_t kOfFourBytes = 10;
    Quote quote = quote_tiles(problem, tiling(config, Along::input_col));
    quote.demand.slower_percent =
        (problem.element_bytes >= 4 ? columns_of_lines_percent(problem) : 0) +
        (problem.element_bytes == 4 ? kOfFourBytes : 0);
    return quote;
  }

  NaiveCol(const Problem& problem, const Config& config)
      : problem_(problem), tiling_(tiling(config, Along::input_col)) {}

  void launch(const Launch& launch) const {
    with_element(problem_.element_bytes, [&]<class E>(E) {
      launch_tiles("naive_col", kernels::naive_col<E>, problem_, launch, tiling_);
    });
  }

  Problem problem_;
  Tiling tiling_;
};

}  // namespace

XPOSE_PLUGIN("cuda_naive", "1.0", NaiveRow, NaiveCol)
