// A permutation by tiles of any axes. The axes of a tile are enumerated twice: in the order of the
// input's strides for loads, in that of the output's for stores. A thread has the same slots of
// every tile, so it keeps their offsets and their places in shared memory in registers, and its
// block goes from tile to tile: the divisions that find a slot's indices are paid once. The next
// tile is loaded into registers while this one leaves shared memory.
#pragma once

#include <cstdint>
#include <xpose/cuda.hpp>

#include "parameters.hpp"
#include "square.cuh"

namespace xpose::kernels {

using cuda_permute::Division, cuda_permute::kCuts, cuda_permute::Permutation, cuda_permute::Step,
    cuda_permute::TileAxis;

__device__ __forceinline__ uint32_t operator/(uint32_t x, Division by) {
  return __umulhi(x, by.multiplier) >> by.shift;
}

// N slots of a thread, numbered thread + i * blockDim.x in the order of some axes.
template <int N, class Offset>
struct Slots {
  Offset offset[N];              // of the first element; elements
  uint32_t places[(N + 1) / 2];  // bytes, 16 bits each
  uint32_t valid;                // bit i: slot i lies in a full tile
  uint32_t in_last[kCuts];       // and in one that is the last along a cut

  __device__ __forceinline__ void find(const TileAxis* axes, int count) {
    uint32_t rest[N], place[N] = {}, beyond[kCuts] = {};
#pragma unroll
    for (int i = 0; i < N; ++i) {
      rest[i] = threadIdx.x + i * blockDim.x;
      offset[i] = 0;
    }
#pragma unroll 1
    for (int a = 0; a < count; ++a) {
      const TileAxis& axis = axes[a];
#pragma unroll
      for (int i = 0; i < N; ++i) {
        const uint32_t above = rest[i] / axis.by_extent, index = rest[i] - above * axis.extent;
        rest[i] = above;
        place[i] += index * axis.place;
        offset[i] += static_cast<Offset>(index) * static_cast<Offset>(axis.stride);
#pragma unroll
        for (int c = 0; c < kCuts; ++c)
          if ((axis.cut >> c & 1) != 0 && index >= axis.left) beyond[c] |= 1u << i;
      }
    }
#pragma unroll
    for (int i = 0; i < (N + 1) / 2; ++i)
      places[i] = place[2 * i] | (2 * i + 1 < N ? place[2 * i + 1] << 16 : 0);
    valid = 0;
#pragma unroll
    for (int i = 0; i < N; ++i)
      if (rest[i] == 0) valid |= 1u << i;
#pragma unroll
    for (int c = 0; c < kCuts; ++c) in_last[c] = ~beyond[c];
  }

  __device__ __forceinline__ uint32_t place(int i) const {
    return places[i / 2] >> 16 * (i % 2) & 0xffffu;
  }
};

// Where a tile begins, in elements, and along which cuts it is the last.
struct TilePlace {
  int64_t in = 0, out = 0;
  uint32_t last = 0;  // bit set of cuts

  template <class Parameters>
  __device__ __forceinline__ TilePlace(const Parameters& of, uint32_t tile) {
#pragma unroll 1
    for (int s = 0; s < of.steps; ++s) {
      const Step& step = of.step[s];
      const uint32_t above = tile / step.by_count, index = tile - above * step.count;
      tile = above;
      in += index * step.in;
      out += index * step.out;
      if (index + 1 == step.count) last |= step.cut;
    }
  }

  template <class Slots>
  __device__ __forceinline__ uint32_t valid(const Slots& slots) const {
    uint32_t bits = slots.valid;
#pragma unroll
    for (int c = 0; c < kCuts; ++c)
      if (last >> c & 1) bits &= slots.in_last[c];
    return bits;
  }
};

// Elements of Bytes bytes in squares of Side x Side of them, of which a thread has Count. Offset
// holds every offset within a tile. Stores are of whole squares or, where their columns lie side by
// side in the output, of single columns.
template <int Bytes, int Side, int Count, class Offset, bool ByColumn>
struct Squares {
  static constexpr int kStored = ByColumn ? 1 : Side;  // columns of a slot
  static constexpr int kBytes = Bytes, kLoads = Count, kStores = Count * Side / kStored;
  static constexpr bool kHasFewSlots = Side > 1 || Bytes == 16;
  using Loads = Slots<kLoads, Offset>;
  using Stores = Slots<kStores, Offset>;
  using Row = Pack<Bytes * Side>;

  Square<Bytes, Side> squares[Count];

  __device__ __forceinline__ void load(int i, const unsigned char* from, const Permutation& of) {
#pragma unroll
    for (int row = 0; row < Side; ++row)
      squares[i].row[row] = *reinterpret_cast<const Row*>(from + row * of.row_stride * Bytes);
  }
  __device__ __forceinline__ void stage(int i, const Loads& loads, unsigned char* shared,
                                        const Permutation& of) const {
    const Square<Bytes, Side> cols = squares[i].transposed();
#pragma unroll
    for (int col = 0; col < Side; ++col)
      *reinterpret_cast<Row*>(shared + loads.place(i) + col * of.col_place) = cols.row[col];
  }
  static __device__ __forceinline__ void store(int i, const Stores& stores,
                                               const unsigned char* shared, unsigned char* to,
                                               const Permutation& of) {
    const unsigned char* const from = shared + stores.place(i);
#pragma unroll
    for (int col = 0; col < kStored; ++col)
      *reinterpret_cast<Row*>(to + col * of.col_stride * Bytes) =
          *reinterpret_cast<const Row*>(from + col * of.col_place);
  }
};

template <class Way, int MinBlocks>
__global__ void __launch_bounds__(cuda_permute::kThreads, MinBlocks)
    permute(const unsigned char* __restrict__ in, unsigned char* __restrict__ out,
            const __grid_constant__ Permutation of) {
  constexpr int kBytes = Way::kBytes;
  unsigned char* const shared = plugin::shared_memory<unsigned char>();
  typename Way::Loads loads;
  typename Way::Stores stores;
  Way registers;
  const auto load = [&](const TilePlace& place) {
    const uint32_t valid = place.valid(loads);
    const unsigned char* const from = in + place.in * kBytes;
#pragma unroll
    for (int i = 0; i < Way::kLoads; ++i)
      if (valid >> i & 1) registers.load(i, from + int64_t{loads.offset[i]} * kBytes, of);
  };

  // Few slots are found for the stores while the loads are on their way; many spill.
  loads.find(of.load_axis, of.load_axes);
  if constexpr (!Way::kHasFewSlots) stores.find(of.store_axis, of.store_axes);
  TilePlace place(of, blockIdx.x);
  load(place);
  if constexpr (Way::kHasFewSlots) stores.find(of.store_axis, of.store_axes);
  for (uint32_t tile = blockIdx.x;;) {
    const uint32_t staged = place.valid(loads);
#pragma unroll
    for (int i = 0; i < Way::kLoads; ++i)
      if (staged >> i & 1) registers.stage(i, loads, shared, of);
    __syncthreads();
    const TilePlace current = place;
    tile += gridDim.x;
    if (tile < of.tiles) {
      place = TilePlace(of, tile);
      load(place);
    }
    const uint32_t valid = current.valid(stores);
    unsigned char* const to = out + current.out * kBytes;
#pragma unroll
    for (int i = 0; i < Way::kStores; ++i)
      if (valid >> i & 1)
        Way::store(i, stores, shared, to + int64_t{stores.offset[i]} * kBytes, of);
    if (tile >= of.tiles) return;
    __syncthreads();
  }
}

// Without shared memory: both sides in the order of the output, for kept runs.
template <int Bytes, int Elements, class Offset, int MinBlocks>
__global__ void __launch_bounds__(cuda_permute::kThreads, MinBlocks)
    permute_runs(const unsigned char* __restrict__ in, unsigned char* __restrict__ out,
                 const __grid_constant__ Permutation of) {
  using Row = Pack<Bytes>;
  Slots<Elements, Offset> loads, stores;
  loads.find(of.load_axis, of.load_axes);
  stores.find(of.store_axis, of.store_axes);
  for (uint32_t tile = blockIdx.x; tile < of.tiles; tile += gridDim.x) {
    const TilePlace place(of, tile);
    const uint32_t valid = place.valid(loads);
    const unsigned char* const from = in + place.in * Bytes;
    unsigned char* const to = out + place.out * Bytes;
    Row rows[Elements];
#pragma unroll
    for (int i = 0; i < Elements; ++i)
      if (valid >> i & 1)
        rows[i] = *reinterpret_cast<const Row*>(from + int64_t{loads.offset[i]} * Bytes);
#pragma unroll
    for (int i = 0; i < Elements; ++i)
      if (valid >> i & 1) *reinterpret_cast<Row*>(to + int64_t{stores.offset[i]} * Bytes) = rows[i];
  }
}

}  // namespace xpose::kernels
