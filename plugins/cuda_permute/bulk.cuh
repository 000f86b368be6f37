// Kept runs, moved by the engine for bulk copies (cp.async.bulk, compute capability 9.0). A warp
// sends for the runs of a small tile, waits at a barrier in shared memory that counts their bytes,
// and sends the tile away. A copy costs a warp a few instructions whatever its length, so that the
// indices of long runs are found once, by one lane. Many such blocks fit into a multiprocessor.
#pragma once

#include <cstdint>
#include <xpose/cuda.hpp>

#include "bulk.hpp"
#include "permute.cuh"

namespace xpose::kernels {

using cuda_permute::Bulk, cuda_permute::Pieces;

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
inline constexpr uint32_t kLanesOfPiece = 1;
#else
// Without the engine the lanes of a warp copy one piece after the other.
inline constexpr uint32_t kLanesOfPiece = 32;
#endif

// Calls body(offset in bytes, place) for the pieces of a tile that are this thread's.
template <class Body>
__device__ __forceinline__ void each_piece(const Pieces& of, uint32_t last, const Body& body) {
  for (uint32_t piece = threadIdx.x / kLanesOfPiece; piece < of.count;
       piece += cuda_permute::kBulkThreads / kLanesOfPiece) {
    uint32_t rest = piece, place = 0;
    int64_t offset = 0;
    bool is_in = true;
#pragma unroll 1
    for (int a = 0; a < of.axes; ++a) {
      const TileAxis& axis = of.axis[a];
      const uint32_t above = rest / axis.by_extent, index = rest - above * axis.extent;
      rest = above;
      offset += index * axis.stride;
      place += index * axis.place;
      is_in &= (axis.cut & last) == 0 || index < axis.left;
    }
    if (is_in) body(offset * cuda_permute::kBulkBytes, place);
  }
}

__device__ __forceinline__ uint32_t bytes_of(const Pieces& of, uint32_t last) {
  return (of.cut & last) != 0 ? of.last_bytes : of.bytes;
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

__device__ __forceinline__ uint32_t shared_address(const void* shared) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(shared));
}

// Returns when the tile is in shared memory, for all lanes. `barrier` lies there as well.
__device__ __forceinline__ void load_pieces(const Pieces& of, uint32_t last,
                                            const unsigned char* from, unsigned char* shared,
                                            uint64_t* barrier) {
  const uint32_t to = shared_address(shared), at = shared_address(barrier);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;"
                 :
                 : "r"(at), "n"(cuda_permute::kBulkThreads)
                 : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  __syncwarp();
  const uint32_t bytes = bytes_of(of, last);
  uint32_t expected = 0;
  each_piece(of, last, [&](int64_t, uint32_t) { expected += bytes; });
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
               :
               : "r"(at), "r"(expected)
               : "memory");
  each_piece(of, last, [&](int64_t offset, uint32_t place) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
        :
        : "r"(to + place), "l"(from + offset), "r"(bytes), "r"(at)
        : "memory");
  });
  for (uint32_t has_arrived = 0; has_arrived == 0;)
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, "
        "p; }"
        : "=r"(has_arrived)
        : "r"(at)
        : "memory");
}

// Returns when shared memory has been read.
__device__ __forceinline__ void store_pieces(const Pieces& of, uint32_t last, unsigned char* to,
                                             const unsigned char* shared) {
  const uint32_t from = shared_address(shared), bytes = bytes_of(of, last);
  each_piece(of, last, [&](int64_t offset, uint32_t place) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
                 :
                 : "l"(to + offset), "r"(from + place), "r"(bytes)
                 : "memory");
  });
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
  asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

#else

__device__ __forceinline__ void copy_by_lanes(unsigned char* to, const unsigned char* from,
                                              uint32_t bytes) {
  using Row = Pack<cuda_permute::kBulkBytes>;
  for (uint32_t at = threadIdx.x * sizeof(Row); at < bytes; at += kLanesOfPiece * sizeof(Row))
    *reinterpret_cast<Row*>(to + at) = *reinterpret_cast<const Row*>(from + at);
}

__device__ __forceinline__ void load_pieces(const Pieces& of, uint32_t last,
                                            const unsigned char* from, unsigned char* shared,
                                            uint64_t*) {
  each_piece(of, last, [&](int64_t offset, uint32_t place) {
    copy_by_lanes(shared + place, from + offset, bytes_of(of, last));
  });
  __syncwarp();
}

__device__ __forceinline__ void store_pieces(const Pieces& of, uint32_t last, unsigned char* to,
                                             const unsigned char* shared) {
  each_piece(of, last, [&](int64_t offset, uint32_t place) {
    copy_by_lanes(to + offset, shared + place, bytes_of(of, last));
  });
}

#endif

template <int MinBlocks>
__global__ void __launch_bounds__(cuda_permute::kBulkThreads, MinBlocks)
    permute_bulk(const unsigned char* __restrict__ in, unsigned char* __restrict__ out,
                 const __grid_constant__ Bulk of) {
  unsigned char* const shared = plugin::shared_memory<unsigned char>();
  const TilePlace tile(of, blockIdx.x);
  load_pieces(of.load, tile.last, in + tile.in * cuda_permute::kBulkBytes, shared,
              reinterpret_cast<uint64_t*>(shared + of.tile_bytes));
  store_pieces(of.store, tile.last, out + tile.out * cuda_permute::kBulkBytes, shared);
}

}  // namespace xpose::kernels
