// Squares transposed in place by swapping tiles across the diagonal.
#include <algorithm>
#include <string>
#include <type_traits>
#include <xpose/cuda.hpp>

#include "../kit/cuda/cuda_card.hpp"
#include "../kit/matrices.hpp"
#include "swap_unaligned.cuh"
#include "swap_vectors.cuh"

using namespace xpose;
using namespace xpose::plugin;

namespace {

constexpr int64_t kMaxSide = int64_t{1} << 30;  // so that an index fits an int

// One block a pair of tiles, refused where a grid has no room for them.
int64_t pairs(int64_t side, int64_t tile) {
  const int64_t tiles = blocks_over(side, tile);
  if (tiles > 65535) throw Unsupported("the matrix has more pairs of tiles than a grid has blocks");
  return tiles * (tiles + 1) / 2;
}

Quote quote_grid(const Problem& problem, int64_t tile, uint64_t threads_x, uint64_t threads_y,
                 uint64_t shared_bytes) {
  const int64_t launches = blocks_over(matrices_of(problem), kMaxGridYZ);
  const auto grid_x = static_cast<uint64_t>(pairs(problem.rows, tile));
  const auto grid_z = static_cast<uint64_t>(matrices_of(problem));
  const auto run = static_cast<uint64_t>(std::min(tile, problem.rows) * problem.element_bytes);
  Quote quote{.launch = describe_launch({grid_x, 1, grid_z}, {threads_x, threads_y}, shared_bytes),
              .demand = {.blocks = grid_x * grid_z,
                         .threads = static_cast<uint32_t>(threads_x * threads_y),
                         .shared_bytes = static_cast<uint32_t>(shared_bytes),
                         .load_run = run,
                         .store_run = run}};
  if (launches > 1) quote.launch += " in " + std::to_string(launches) + " launches";
  return quote;
}

// Calls body(offset in matrices, grid) for each launch.
template <class Body>
void for_each_launch(const Problem& problem, int64_t tile, const Body& body) {
  for (int64_t z = 0; z < matrices_of(problem); z += kMaxGridYZ)
    body(z, Shape{static_cast<uint32_t>(pairs(problem.rows, tile)), 1,
                  static_cast<uint32_t>(std::min(matrices_of(problem) - z, kMaxGridYZ))});
}

struct Vectors {
  static Card card() {
    return cuda_card(
        {.name = "swap_vectors",
         .summary = "squares in place: pairs of tiles change places by 16-byte accesses",
         .min_alignment = 16,
         .max_batch_rank = 1,
         .traits = XPOSE_TRAIT_IN_PLACE,
         .max_extent = kMaxSide,
         .prior_rank = 100,
         .axes = {{"run", {256, 128}}}});
  }

  // Calls body(bytes, units, threads), constants; `run` is the bytes of a tile's row.
  template <class Body>
  static void with_tile(uint32_t element_bytes, int64_t run, const Body& body) {
    if (run == 128) {
      if (element_bytes != 1) throw Unsupported("run=128 needs 1-byte elements");
      return body(std::integral_constant<int, 1>{}, std::integral_constant<int, 8>{},
                  std::integral_constant<int, 256>{});
    }
    with_constant<1, 2, 4, 8, 16>(element_bytes, [&](auto bytes) {
      constexpr int kThreads = bytes() == 1 ? 1024 : bytes() == 2 ? 512 : 256;
      body(std::integral_constant<int, bytes()>{}, std::integral_constant<int, 16>{},
           std::integral_constant<int, kThreads>{});
    });
  }

  static Quote quote(const Problem& problem, const Config& config) {
    if (!problem.in_place) throw Unsupported("works in place only");
    if (problem.rows * problem.element_bytes % 16 != 0)
      throw Unsupported("needs rows of a multiple of 16 bytes");
    Quote quote;
    with_tile(problem.element_bytes, config["run"], [&](auto bytes, auto units, auto threads) {
      using Tile = kernels::VectorTile<bytes(), units(), threads()>;
      quote = quote_grid(problem, Tile::kSide, threads(), 1, Tile::kSharedBytes);
    });
    return quote;
  }

  Vectors(const Problem& problem, const Config& config) : problem_(problem), run_(config["run"]) {
    with_tile(problem.element_bytes, run_, [&](auto bytes, auto units, auto threads) {
      allow_shared_bytes("swap_vectors", kernels::swap_vectors<bytes(), units(), threads()>,
                         kernels::VectorTile<bytes(), units(), threads()>::kSharedBytes);
    });
  }

  void launch(const Launch& launch) const {
    const int64_t pitch = problem_.in_ld * problem_.element_bytes / 16;
    const int64_t stride = problem_.batch[0].in_stride * problem_.element_bytes / 16;
    with_tile(problem_.element_bytes, run_, [&](auto bytes, auto units, auto threads) {
      using Tile = kernels::VectorTile<bytes(), units(), threads()>;
      for_each_launch(problem_, Tile::kSide, [&](int64_t first, Shape grid) {
        launch_kernel("swap_vectors", kernels::swap_vectors<bytes(), units(), threads()>, grid,
                      {threads()}, Tile::kSharedBytes, launch.stream,
                      static_cast<uint4*>(launch.out) + first * stride,
                      static_cast<int>(problem_.rows), pitch, stride);
      });
    });
  }

  Problem problem_;
  int64_t run_;
};

// How a tile with rows of Run bytes is moved: the form that was measured to be fastest.
template <class E, int Run>
struct Move {
  static constexpr int kBytes = sizeof(E), kTileBytes = Run / kBytes * Run;
  static constexpr bool kPacked = kBytes < 4 && Run > 32 * kBytes;
  static constexpr bool kBothStaged = kPacked || kTileBytes < 32 * 1024;
  static constexpr int kThreads = kTileBytes > 16 * 1024 || (kPacked && kBytes == 1) ? 512 : 256;
  static constexpr int kHeldWords = 2 * kTileBytes / 4 / kThreads;
  // As many as registers allow that hold the words in flight; parts of elements take many more.
  static constexpr int kResidentThreads = kHeldWords >= 64 || alignof(E) < kBytes ? 512
                                          : kPacked || kHeldWords >= 32           ? 1024
                                                                                  : 2048;
  using Tile = kernels::UnalignedTile<E, std::conditional_t<kPacked, uint32_t, E>, Run, kThreads,
                                      kBothStaged>;
  static constexpr auto kKernel = kernels::swap_unaligned<Tile, kResidentThreads / kThreads>;
};

// Why a tile with rows of so many bytes is not compiled for an element size and alignment, or null.
constexpr const char* refusal(uint32_t bytes, uint32_t alignment, int64_t run) {
  if (run == 32 * bytes) return nullptr;
  if (run < 32 * bytes) return "a row of a tile needs at least 32 elements";
  if (alignment < bytes) return "elements that are not aligned to their size need tiles of 32x32";
  if (bytes <= 2 && run < 128)
    return "elements of 1 and 2 bytes need 128 bytes, a word for each lane of a warp";
  if (run > (bytes <= 2 ? 128 * bytes : bytes <= 8 ? 512 : 1024))
    return "the tile exceeds shared memory or registers";
  return nullptr;
}

struct Unaligned {
  static Card card() {
    return cuda_card(
        {.name = "swap_unaligned",
         .summary = "squares in place: pairs of tiles change places, rows at any address",
         .min_alignment = 1,
         .max_batch_rank = 1,
         .traits = XPOSE_TRAIT_IN_PLACE,
         .max_extent = kMaxSide,
         .prior_rank = 120,
         .axes = {{"run", {256, 512, 1024, 128, 64, 32}}}});
  }

  static uint32_t alignment_of(const Problem& problem) {
    return std::min({problem.in_alignment, problem.out_alignment, problem.element_bytes});
  }

  // Calls body(Move) for a tile that is not refused.
  template <class Body>
  static void with_move(const Problem& problem, int64_t run, const Body& body) {
    with_element(problem.element_bytes, alignment_of(problem), [&]<class E>(E) {
      with_constant<32, 64, 128, 256, 512, 1024>(run, [&](auto bytes) {
        if constexpr (refusal(sizeof(E), alignof(E), bytes()) == nullptr) body(Move<E, bytes()>{});
      });
    });
  }

  static Quote quote(const Problem& problem, const Config& config) {
    if (!problem.in_place) throw Unsupported("works in place only");
    const int64_t run = config["run"];
    if (const char* why = refusal(problem.element_bytes, alignment_of(problem), run))
      throw Unsupported("run=" + std::to_string(run) + ": " + why);
    Quote quote;
    with_move(problem, run, [&]<class Move>(Move) {
      using Tile = typename Move::Tile;
      quote = quote_grid(problem, Tile::kSide, Tile::kThreads, 1, Tile::kSharedBytes);
    });
    return quote;
  }

  Unaligned(const Problem& problem, const Config& config) : problem_(problem), run_(config["run"]) {
    with_move(problem_, run_, []<class Move>(Move) {
      allow_shared_bytes("swap_unaligned", Move::kKernel, Move::Tile::kSharedBytes);
    });
  }

  void launch(const Launch& launch) const {
    const int64_t pitch = problem_.in_ld * problem_.element_bytes;
    const int64_t stride = problem_.batch[0].in_stride * problem_.element_bytes;
    with_move(problem_, run_, [&]<class Move>(Move) {
      using Tile = typename Move::Tile;
      for_each_launch(problem_, Tile::kSide, [&](int64_t first, Shape grid) {
        launch_kernel("swap_unaligned", Move::kKernel, grid, {Tile::kThreads}, Tile::kSharedBytes,
                      launch.stream, static_cast<unsigned char*>(launch.out) + first * stride,
                      static_cast<int>(problem_.rows), pitch, stride);
      });
    });
  }

  Problem problem_;
  int64_t run_;
};

}  // namespace

XPOSE_PLUGIN("cuda_in_place", "2.0", Vectors, Unaligned)
