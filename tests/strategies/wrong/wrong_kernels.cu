// Transposes through a tile of 32 x 32 elements of 4 bytes, each wrong in one line, which bears the
// word that the test looks for.
#include <xpose/cuda.hpp>

using namespace xpose;
using namespace xpose::plugin;

namespace {

enum class Wrong { nothing, no_barrier, barrier_in_branch, past_tile, past_input };

template <class E, Wrong wrong>
__global__ void tile_kernel(const E* in, E* out, int rows, int cols, int64_t in_ld, int64_t out_ld,
                            int64_t in_stride, int64_t out_stride) {
  E* const tile = shared_memory<E>();
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * 32 + y, col = blockIdx.x * 32 + x;
  const int64_t more = wrong == Wrong::past_input ? 1 : 0;
  in += blockIdx.z * in_stride;
  out += blockIdx.z * out_stride;
  if (row < rows && col < cols) {
    const E value = in[row * in_ld + col + more];  // PAST_INPUT
    tile[32 * y + x] = value;                      // NO_BARRIER: another warp has read it
    if constexpr (wrong == Wrong::barrier_in_branch) __syncthreads();  // BARRIER_IN_BRANCH
  }
  if constexpr (wrong != Wrong::no_barrier && wrong != Wrong::barrier_in_branch) __syncthreads();
  const int out_row = blockIdx.x * 32 + y, out_col = blockIdx.y * 32 + x;
  const int pitch = wrong == Wrong::past_tile ? 33 : 32;
  if (out_row < cols && out_col < rows) {
    const E value = tile[pitch * x + y];  // PAST_TILE
    out[out_row * out_ld + out_col] = value;
  }
}

constexpr Tiling kTiling = {
    .tile_x = 32, .tile_y = 32, .block_x = 32, .block_y = 32, .shared_bytes = 4096};

template <Wrong wrong>
struct Tile {
  static constexpr const char* kNames[] = {"tile_right", "tile_no_barrier",
                                           "tile_barrier_in_branch", "tile_past_tile",
                                           "tile_past_input"};
  static Card card() {
    return {.name = kNames[static_cast<int>(wrong)],
            .summary = "wrong in one line",
            .device_kind = XPOSE_CUDA,
            .element_sizes = 4,
            .max_batch_rank = 1};
  }
  static Quote quote(const Problem& problem, const Config&) {
    return quote_tiles(problem, kTiling);
  }
  Tile(const Problem& problem, const Config&) : problem_(problem) {}
  void launch(const Launch& launch) const {
    launch_tiles("tile", tile_kernel<uint32_t, wrong>, problem_, launch, kTiling);
  }
  Problem problem_;
};

}  // namespace

XPOSE_PLUGIN("wrong_kernels", "1.0", Tile<Wrong::nothing>, Tile<Wrong::no_barrier>,
             Tile<Wrong::barrier_in_branch>, Tile<Wrong::past_tile>, Tile<Wrong::past_input>)
