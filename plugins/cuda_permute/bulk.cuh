// Tiles moved by the engine for bulk copies (cp.async.bulk, compute capability 9.0). A warp sends
// for the runs of a tile and waits at a barrier in shared memory that counts their bytes. A copy
// costs a warp a few instructions whatever its length, so that the indices of a run are found once,
// by one lane. Kept runs are sent away in bulk as well, by small blocks of one warp.
#pragma once

#include <cstdint>
#include <xpose/cuda.hpp>

#include "bulk.hpp"
#include "permute.cuh"

namespace xpose::kernels {

using cuda_permute::Bulk, cuda_permute::BulkSquares, cuda_permute::Pieces;

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
    if (is_in) body(offset, place);
  }
}

__device__ __forceinline__ uint32_t bytes_of(const Pieces& of, uint32_t last) {
  return (of.cut & last) != 0 ? of.last_bytes : of.bytes;
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

__device__ __forceinline__ uint32_t shared_address(const void* shared) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(shared));
}

// The barrier is for all threads of the block behind their next barrier of another kind.
__device__ __forceinline__ void begin_loads(uint64_t* barrier) {
  if (threadIdx.x != 0) return;
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;"
               :
               : "r"(shared_address(barrier)), "n"(cuda_permute::kBulkThreads)
               : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// By the first warp.
__device__ __forceinline__ void load_pieces(const Pieces& of, uint32_t last,
                                            const unsigned char* from, unsigned char* shared,
                                            uint64_t* barrier) {
  const uint32_t to = shared_address(shared), at = shared_address(barrier),
                 bytes = bytes_of(of, last);
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
}

// Returns when the pieces are in shared memory.
__device__ __forceinline__ void await_loads(uint64_t* barrier) {
  for (uint32_t has_arrived = 0; has_arrived == 0;)
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, "
        "p; }"
        : "=r"(has_arrived)
        : "r"(shared_address(barrier))
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
}
__device__ __forceinline__ void begin_loads(uint64_t*) {}
__device__ __forceinline__ void await_loads(uint64_t*) { __syncthreads(); }

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
  auto* const barrier = reinterpret_cast<uint64_t*>(shared + of.tile_bytes);
  const TilePlace tile(of, blockIdx.x);
  begin_loads(barrier);
  __syncwarp();
  load_pieces(of.load, tile.last, in + tile.in * cuda_permute::kBulkBytes, shared, barrier);
  await_loads(barrier);
  store_pieces(of.store, tile.last, out + tile.out * cuda_permute::kBulkBytes, shared);
}

// Squares that a thread has a few of at a time, of those of a tile. Their rows are kBulkBytes.
template <int N>
struct SquareSlots {
  int32_t offset[N];  // elements of the output
  uint32_t place[N];
  bool is_in[N];

  // Numbered first + i * blockDim.x in the order of the output.
  __device__ __forceinline__ SquareSlots(const BulkSquares& of, uint32_t first, uint32_t last) {
    uint32_t rest[N];
#pragma unroll
    for (int i = 0; i < N; ++i) {
      rest[i] = first + i * blockDim.x;
      is_in[i] = rest[i] < of.squares;
      offset[i] = 0;
      place[i] = 0;
    }
#pragma unroll 1
    for (int a = 0; a < of.axes; ++a) {
      const TileAxis& axis = of.axis[a];
      const uint32_t bound = (axis.cut & last) != 0 ? axis.left : axis.extent;
#pragma unroll
      for (int i = 0; i < N; ++i) {
        const uint32_t above = rest[i] / axis.by_extent, index = rest[i] - above * axis.extent;
        rest[i] = above;
        offset[i] += static_cast<int32_t>(index) * static_cast<int32_t>(axis.stride);
        place[i] += index * axis.place;
        is_in[i] &= index < bound;
      }
    }
  }
};

// Squares whose rows are loaded in bulk, for tiles of so many axes that finding the slots of loads
// would take long. They are transposed on their way out.
template <int Bytes, int MinBlocks>
__global__ void __launch_bounds__(cuda_permute::kBulkSquareThreads, MinBlocks)
    permute_bulk_squares(const unsigned char* __restrict__ in, unsigned char* __restrict__ out,
                         const __grid_constant__ BulkSquares of) {
  constexpr int kSide = cuda_permute::kBulkBytes / Bytes, kSlots = kSide == 1 ? 4 : 2;
  using Row = Pack<cuda_permute::kBulkBytes>;
  unsigned char* const shared = plugin::shared_memory<unsigned char>();
  auto* const barrier = reinterpret_cast<uint64_t*>(shared + of.tile_bytes);
  const TilePlace tile(of, blockIdx.x);
  begin_loads(barrier);
  __syncthreads();
  if (threadIdx.x < cuda_permute::kBulkThreads)
    load_pieces(of.load, tile.last, in + tile.in * Bytes, shared, barrier);
  await_loads(barrier);
  unsigned char* const to = out + tile.out * Bytes;
#pragma unroll 1
  for (uint32_t first = threadIdx.x; first < of.squares; first += kSlots * blockDim.x) {
    const SquareSlots<kSlots> slots(of, first, tile.last);
#pragma unroll
    for (int i = 0; i < kSlots; ++i) {
      if (!slots.is_in[i]) continue;
      Square<Bytes, kSide> square;
#pragma unroll
      for (int row = 0; row < kSide; ++row)
        square.row[row] =
            *reinterpret_cast<const Row*>(shared + slots.place[i] + row * of.row_place);
      square = square.transposed();
#pragma unroll
      for (int col = 0; col < kSide; ++col)
        *reinterpret_cast<Row*>(to + (slots.offset[i] + col * of.col_stride) * Bytes) =
            square.row[col];
    }
  }
}

}  // namespace xpose::kernels
