// Part of the SDK for authors of CUDA plugins (cuda.hpp includes it): the cover of a problem of any
// size by one grid of tiles, and the figures of its quote. Host code; compiles without CUDA.
// [any thread]
#pragma once

#ifdef XPOSE_SIMULATOR
#include <xpose/simulator/cuda_words.hpp>
#endif

#include <algorithm>
#include <cstdint>
#include <string>
#include <xpose/plugin.hpp>

namespace xpose::plugin {

// Limits of a grid and of a block on every device (CUDA C++ Programming Guide, "Technical
// Specifications per Compute Capability").
inline constexpr int64_t kMaxGridYZ = 65535;                   // blocks along y and z
inline constexpr int64_t kMaxThreads = 1024;                   // of a block
inline constexpr uint64_t kMaxSharedBytes = 48 * 1024;         // more needs allow_shared_bytes
inline constexpr uint64_t kMaxAllowedSharedBytes = 99 * 1024;  // with it, from capability 8.0 on

// The direction of consecutive threads and blocks along x: along an input row, or along an input
// column, which is an output row of a transpose.
enum class Along { input_row, input_col };

// The extents of a grid (blocks) or a block (threads); converts to CUDA's dim3.
struct Shape {
  uint32_t x = 1, y = 1, z = 1;
#if defined(__CUDACC__) || defined(XPOSE_SIMULATOR)
  operator dim3() const { return dim3(x, y, z); }
#endif
};

// How one grid covers a problem: every block has one tile.
struct Tiling {
  int64_t tile_x = 1;    // elements along x
  int64_t tile_y = 1;    // elements along y
  int64_t behind_x = 0;  // further elements along x, past the problem's end, that blocks cover
  int64_t block_x = 1;   // threads along x
  int64_t block_y = 1;   // threads along y
  Along x_along = Along::input_row;
  uint64_t shared_bytes = 0;                    // dynamic, of a block
  uint64_t max_shared_bytes = kMaxSharedBytes;  // above it quote_tiles throws Unsupported
  int32_t role = XPOSE_TRANSPOSE;               // or XPOSE_COPY, whose output lies as its input

  Shape block() const { return {static_cast<uint32_t>(block_x), static_cast<uint32_t>(block_y)}; }
};

// The number of tiles that cover an extent, the last one perhaps in part. Both are in elements.
inline int64_t blocks_over(int64_t extent, int64_t tile) { return (extent + tile - 1) / tile; }

// A piece of a problem that one grid covers. A block's tile begins at the element
// (blockIdx.x * tile_x, blockIdx.y * tile_y) of the piece, read as x_along says, and blockIdx.z is
// the index into the batch. rows and cols are at most 2^30, so an index of one of them fits an int;
// an offset into the matrix does not.
template <class E>
struct Part {
  const E* in;  // element 0 of the piece, in its first matrix
  E* out;       // the element that it belongs to
  int rows;     // of the input
  int cols;     // of the input
  Shape grid;   // blocks
};

namespace detail {

// The most elements of one part along an axis: whole tiles, and as many as the grid can count.
inline int64_t part_extent(int64_t tile, int64_t max_blocks) {
  return std::min((int64_t{1} << 30) / tile, max_blocks) * tile;
}

// A problem seen from its grid.
struct GridExtents {
  GridExtents(const Problem& problem, const Tiling& tiling)
      : x(tiling.x_along == Along::input_row ? problem.cols : problem.rows),
        y(tiling.x_along == Along::input_row ? problem.rows : problem.cols),
        z(problem.batch_rank == 0 ? 1 : problem.batch[0].extent),
        x_step(part_extent(tiling.tile_x, INT32_MAX)),
        y_step(part_extent(tiling.tile_y, kMaxGridYZ)) {}

  int64_t x, y, z;         // elements, elements, matrices
  int64_t x_step, y_step;  // elements of a part
};

// The figures of a tiling's blocks. A run is a piece of a row, no longer than the problem's. Stores
// that do not come out of shared memory have the run of a warp, because the caches do not join
// them.
inline Demand demand_of(const Problem& problem, const Tiling& tiling, const GridExtents& extents) {
  const int64_t along_x = std::min(tiling.tile_x, extents.x);
  const int64_t along_y = std::min(tiling.tile_y, extents.y);
  const bool reads_x = tiling.x_along == Along::input_row;
  const int64_t stored_y = tiling.shared_bytes != 0
                               ? along_y
                               : std::min(along_y, std::max<int64_t>(32 / tiling.block_x, 1));
  const auto bytes = [&](int64_t elements) {
    return static_cast<uint64_t>(elements * problem.element_bytes);
  };
  return {.blocks = static_cast<uint64_t>(blocks_over(extents.x + tiling.behind_x, tiling.tile_x) *
                                          blocks_over(extents.y, tiling.tile_y) * extents.z),
          .threads = static_cast<uint32_t>(tiling.block_x * tiling.block_y),
          .shared_bytes = static_cast<uint32_t>(tiling.shared_bytes),
          .load_run = bytes(reads_x ? along_x : along_y),
          .store_run = bytes(reads_x ? stored_y : along_x)};
}

}  // namespace detail

// The quote of a tiling: its launch in short and, for a transpose, the figures from which its time
// is predicted. Throws Unsupported where a block has too many threads or too much shared memory.
inline Quote quote_tiles(const Problem& problem, const Tiling& tiling) {
  const std::string block = std::to_string(tiling.block_x) + "x" + std::to_string(tiling.block_y);
  if (tiling.block_x * tiling.block_y > kMaxThreads)
    throw Unsupported("a block of " + block + " threads is more than the 1024 a device runs");
  if (tiling.shared_bytes > tiling.max_shared_bytes)
    throw Unsupported("a tile of " + std::to_string(tiling.shared_bytes) +
                      " bytes is more than the " + std::to_string(tiling.max_shared_bytes / 1024) +
                      " KiB of shared memory a block has");
  const detail::GridExtents extents(problem, tiling);
  const auto count = [](int64_t extent, int64_t tile) {
    return static_cast<uint64_t>(blocks_over(extent, tile));
  };
  Quote quote;
  quote.launch = describe_launch(
      {count(extents.x + tiling.behind_x, tiling.tile_x), count(extents.y, tiling.tile_y),
       static_cast<uint64_t>(extents.z)},
      {static_cast<uint64_t>(tiling.block_x), static_cast<uint64_t>(tiling.block_y)},
      tiling.shared_bytes);
  const uint64_t launches = count(extents.x, extents.x_step) * count(extents.y, extents.y_step) *
                            count(extents.z, kMaxGridYZ);
  if (launches > 1) quote.launch += " in " + std::to_string(launches) + " launches";
  if (tiling.role == XPOSE_TRANSPOSE) quote.demand = detail::demand_of(problem, tiling, extents);
  return quote;
}

// Calls body(Part<E>) for parts that cover the problem without overlap: one part, unless an axis of
// the grid would exceed its limit. E is the problem's element. The strategy's max_batch_rank is at
// most 1: its batch dimension is the grid's z.
template <class E, class Body>
void for_each_part(const Problem& problem, const Launch& launch, const Tiling& tiling,
                   const Body& body) {
  const detail::GridExtents extents(problem, tiling);
  const bool x_is_cols = tiling.x_along == Along::input_row;
  const bool transposes = tiling.role == XPOSE_TRANSPOSE;
  for (int64_t z = 0; z < extents.z; z += kMaxGridYZ)
    for (int64_t y = 0; y < extents.y; y += extents.y_step)
      for (int64_t x = 0; x < extents.x; x += extents.x_step) {
        const int64_t width = std::min(extents.x - x, extents.x_step);
        const int64_t height = std::min(extents.y - y, extents.y_step);
        const int64_t row = x_is_cols ? y : x, col = x_is_cols ? x : y;
        body(Part<E>{static_cast<const E*>(launch.in) + z * problem.batch[0].in_stride +
                         row * problem.in_ld + col,
                     static_cast<E*>(launch.out) + z * problem.batch[0].out_stride +
                         (transposes ? col * problem.out_ld + row : row * problem.out_ld + col),
                     static_cast<int>(x_is_cols ? height : width),
                     static_cast<int>(x_is_cols ? width : height),
                     {static_cast<uint32_t>(blocks_over(width + tiling.behind_x, tiling.tile_x)),
                      static_cast<uint32_t>(blocks_over(height, tiling.tile_y)),
                      static_cast<uint32_t>(std::min(extents.z - z, kMaxGridYZ))}});
      }
}

}  // namespace xpose::plugin
