// Tiles of 16-byte pieces through shared memory, for matrices whose rows are 16-byte aligned.
#include <xpose/cuda.hpp>

#include "tile.cuh"

using namespace xpose;
using namespace xpose::plugin;

namespace {

// Of each element size: rows of a patch, and 16-byte loads that a thread has in flight. Patches of
// fewer rows than fill 16 bytes cost more instructions, but leave registers for more threads.
constexpr int patch_rows(int element_bytes) {
  return element_bytes < 4 ? 4 : element_bytes < 16 ? 2 : 1;
}
constexpr int loads(int element_bytes) { return element_bytes < 4 ? 4 : 2; }

constexpr int threads(int element_bytes, int row_bytes, int col_bytes) {
  return row_bytes * col_bytes / element_bytes / 16 / loads(element_bytes);
}

struct Tile {
  static Card card() {
    return {.name = "tile",
            .summary = "16 bytes at a time both ways, through swizzled shared memory",
            .device_kind = XPOSE_CUDA,
            .min_alignment = 16,
            .min_compute_capability = 80,
            .max_batch_rank = 1,
            .traits = XPOSE_TRAIT_CAPTURABLE,
            .prior_rank = 50,
            .axes = {{"row_bytes", {256, 128}}, {"col_bytes", {256, 128}}}};
  }

  static Quote quote(const Problem& problem, const Config& config) {
    return quote_tiles(problem, tiling(problem, config));
  }

  Tile(const Problem& problem, const Config& config)
      : problem_(problem),
        tiling_(tiling(problem, config)),
        row_bytes_(config["row_bytes"]),
        col_bytes_(config["col_bytes"]) {
    with_kernel([&](auto kernel) { allow_shared_bytes("tile", kernel, tiling_.shared_bytes); });
  }

  void launch(const Launch& launch) const {
    with_kernel([&](auto kernel) { launch_tiles("tile", kernel, problem_, launch, tiling_); });
  }

  static Tiling tiling(const Problem& problem, const Config& config) {
    const int bytes = static_cast<int>(problem.element_bytes);
    const int row_bytes = static_cast<int>(config["row_bytes"]);
    const int col_bytes = static_cast<int>(config["col_bytes"]);
    return {.tile_x = col_bytes / bytes,
            .tile_y = row_bytes / bytes,
            .block_x = threads(bytes, row_bytes, col_bytes),
            .x_along = Along::input_col,
            .shared_bytes = static_cast<uint64_t>(row_bytes * col_bytes / bytes),
            .max_shared_bytes = kMaxAllowedSharedBytes};
  }

  // Calls body with the kernel of the problem and the config.
  template <class Body>
  void with_kernel(const Body& body) const {
    with_element(problem_.element_bytes, [&]<class E>(E) {
      with_constant<128, 256>(row_bytes_, [&](auto row_bytes) {
        with_constant<128, 256>(col_bytes_, [&](auto col_bytes) {
          constexpr int kBytes = sizeof(E);
          body(kernels::tile<E, row_bytes(), col_bytes(), threads(kBytes, row_bytes(), col_bytes()),
                             patch_rows(kBytes)>);
        });
      });
    });
  }

  Problem problem_;
  Tiling tiling_;
  int64_t row_bytes_;
  int64_t col_bytes_;
};

}  // namespace

XPOSE_PLUGIN("cuda_tile", "1.0", Tile)
