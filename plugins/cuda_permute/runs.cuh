// A permutation of small elements that form no squares, by tiles whose runs are copied. A run of
// the input goes to shared memory in words as they lie: strides there have the remainders of those
// in the input, so that a word is a word on both sides, wherever runs begin. A word of the output
// is gathered from there. Where a run begins, and where its elements lie, is in tables that a block
// makes for its tile.
#pragma once

#include <cstdint>
#include <xpose/cuda.hpp>

#include "../kit/cuda/copy_later.cuh"
#include "permute.cuh"
#include "runs.hpp"

namespace xpose::kernels {

using cuda_permute::Runs, cuda_permute::RunSide;

// Where a run begins, for words of one side: the word of its first element from the tile's first
// word, and where that word, or of stores the first element, lies in shared memory.
struct alignas(8) RunBegin {
  int32_t word;
  uint32_t at;  // bytes in shared memory; behind them, `ahead` and flags

  static constexpr uint32_t kPlace = 0xffff, kEdge = 1u << 30, kNone = 1u << 31;
  static constexpr int kAhead = 16;  // bits before it

  // Bytes of the word before the run.
  __device__ __forceinline__ int32_t ahead() const {
    return static_cast<int32_t>(at >> kAhead & 0xff);
  }
  __device__ __forceinline__ uint32_t place() const { return at & kPlace; }
  __device__ __forceinline__ bool is_none() const { return (at & kNone) != 0; }
  __device__ __forceinline__ bool is_edge() const { return (at & kEdge) != 0; }
};

// The runs of one side of one tile.
struct TileRuns {
  RunSide::Length run;
  uint32_t runs;

  __device__ __forceinline__ TileRuns(const RunSide& side, uint32_t last)
      : run((side.run_cut & last) != 0 ? side.last_run : side.run),
        runs((side.cut & last) != 0 ? side.last_runs : side.runs) {}

  // Calls body(number, offset in elements, place in bytes, lies in the tile).
  template <class Body>
  __device__ __forceinline__ void each(const RunSide& side, uint32_t last, const Body& body) const {
    for (uint32_t number = threadIdx.x; number < runs; number += blockDim.x) {
      uint32_t rest = number, place = 0;
      int32_t offset = 0;
      bool is_in = true;
#pragma unroll 1
      for (int a = side.run_axes; a < side.axes; ++a) {
        const TileAxis& axis = side.axis[a];
        const uint32_t above = rest / axis.by_extent, index = rest - above * axis.extent;
        rest = above;
        offset += static_cast<int32_t>(index) * static_cast<int32_t>(axis.stride);
        place += index * axis.place;
        is_in &= (axis.cut & last) == 0 || index < axis.left;
      }
      body(number, offset, place, is_in);
    }
  }
};

// Where a place is, as a word of InBytes moves; places.hpp says why.
template <bool Swizzled, int InBytes>
__device__ __forceinline__ uint32_t spot(uint32_t place) {
  return Swizzled ? place ^ ((place >> 5 ^ place >> 10) & (128 - InBytes)) : place;
}

// The runs of a tile's input, and the copies of them.
template <int Bytes, int InBytes, bool Swizzled = false>
class RunLoads {
 public:
  // Finds where they begin, for all threads of the block behind their next barrier. `begins` has
  // room for them.
  __device__ __forceinline__ RunLoads(const Runs& of, const TilePlace& tile,
                                      const unsigned char* in, RunBegin* begins)
      : runs_(of.load, tile.last), begins_(begins) {
    const unsigned char* const from = in + tile.in * Bytes;
    ahead_ = static_cast<int32_t>(reinterpret_cast<uintptr_t>(from) % InBytes);
    words_ = from - ahead_;
    bytes_ = static_cast<int32_t>(runs_.run.elements * Bytes);
    runs_.each(of.load, tile.last, [&](uint32_t i, int32_t offset, uint32_t place, bool is_in) {
      const int64_t bytes = int64_t{offset} * Bytes + ahead_;
      const auto word = static_cast<int32_t>(bytes / InBytes - (bytes % InBytes < 0 ? 1 : 0));
      const auto before = static_cast<uint32_t>(bytes - int64_t{word} * InBytes);
      const unsigned char* const begin = words_ + int64_t{word} * InBytes;
      const unsigned char* const end = begin + (before + bytes_ + InBytes - 1) / InBytes * InBytes;
      const bool is_edge = begin < in - of.low || end > in + of.end;
      begins_[i] = {word, (place + ahead_ - before) | before << RunBegin::kAhead |
                              (is_edge ? RunBegin::kEdge : 0) | (is_in ? 0 : RunBegin::kNone)};
    });
  }

  // Bytes from an element's place to where it lies in shared memory.
  __device__ __forceinline__ uint32_t ahead() const { return static_cast<uint32_t>(ahead_); }

  // Copies them to shared memory, where they are behind copies_arrive() and a barrier.
  __device__ __forceinline__ void copy(unsigned char* shared) const {
    using Element = Pack<Bytes>;
    const uint32_t words = runs_.runs * runs_.run.words;
#pragma unroll 4
    for (uint32_t i = threadIdx.x; i < words; i += cuda_permute::kThreads) {
      const uint32_t run = i / runs_.run.by_words;
      const auto word = static_cast<int32_t>(i - run * runs_.run.words);
      const RunBegin begin = begins_[run];
      const int32_t at = word * InBytes - begin.ahead();
      if (at >= bytes_ || begin.is_none()) continue;
      const unsigned char* const source = words_ + int64_t{begin.word + word} * InBytes;
      unsigned char* const held = shared + spot<Swizzled, InBytes>(begin.place() + word * InBytes);
      if (!begin.is_edge()) {
        copy_later<InBytes, true>(held, source);
      } else {  // perhaps partly before or behind the whole input
        for (int k = 0; k < InBytes; k += Bytes)
          *reinterpret_cast<Element*>(held + k) =
              at + k >= 0 && at + k < bytes_ ? *reinterpret_cast<const Element*>(source + k)
                                             : Element{};
      }
    }
  }

 private:
  TileRuns runs_;
  RunBegin* begins_;
  const unsigned char* words_;  // that of the tile's first element
  int32_t ahead_;               // bytes of it before that
  int32_t bytes_;               // of a run
};

// The place of a number within a run of the output.
__device__ __forceinline__ uint32_t place_in_run(const RunSide& side, uint32_t number) {
  uint32_t at = 0;
#pragma unroll 1
  for (int a = 0; a < side.run_axes; ++a) {
    const TileAxis& axis = side.axis[a];
    const uint32_t above = number / axis.by_extent;
    at += (number - above * axis.extent) * axis.place;
    number = above;
  }
  return at;
}

// Elements that are stored at once.
template <int Bytes, int OutBytes>
struct alignas(OutBytes) OutWord {
  static constexpr int kElements = OutBytes / Bytes, kOfPack = Bytes < 4 ? 4 / Bytes : 1;
  Pack<Bytes * kOfPack> packs[kElements / kOfPack];

  __device__ __forceinline__ explicit OutWord(const Pack<Bytes> (&elements)[kElements]) {
#pragma unroll
    for (int i = 0; i < kElements / kOfPack; ++i) {
      Pack<Bytes> some[kOfPack];
#pragma unroll
      for (int k = 0; k < kOfPack; ++k) some[k] = elements[i * kOfPack + k];
      packs[i] = joined(some);
    }
  }
};

// Periodic: a run of the output is longer than the table of places.
template <int Bytes, int InBytes, int OutBytes, int MinBlocks, bool Periodic, bool Swizzled>
__global__ void __launch_bounds__(cuda_permute::kThreads, MinBlocks)
    permute_by_runs(const unsigned char* __restrict__ in, unsigned char* __restrict__ out,
                    const __grid_constant__ Runs of) {
  constexpr int kOfOut = OutBytes / Bytes, kSpare = kOfOut - 1, kOfEntry = kOfOut < 4 ? kOfOut : 4;
  using Element = Pack<Bytes>;
  using Places = Pack<2 * kOfEntry>;  // of elements that follow each other; bytes
  unsigned char* const shared = plugin::shared_memory<unsigned char>();
  auto* const places = reinterpret_cast<Places*>(shared + of.tile_bytes);
  // Words that follow each other have entries that do, so that lanes do not meet in banks.
  const auto number = [&](uint32_t element) {
    return element % kOfOut * (of.places / kOfOut) + element / kOfOut;
  };
  auto* const loads = reinterpret_cast<RunBegin*>(places + of.places);
  RunBegin* const stores = loads + of.load.runs;

  const TilePlace tile(of, blockIdx.x);
  const TileRuns store(of.store, tile.last);
  const RunLoads<Bytes, InBytes, Swizzled> load(of, tile, in, loads);
  unsigned char* const to = out + tile.out * Bytes;
  const auto to_ahead = static_cast<int32_t>(reinterpret_cast<uintptr_t>(to) % OutBytes);
  unsigned char* const out_words = to - to_ahead;
  store.each(of.store, tile.last, [&](uint32_t i, int32_t offset, uint32_t place, bool is_in) {
    const int64_t bytes = int64_t{offset} * Bytes + to_ahead;  // strides of outputs are positive
    const auto word = static_cast<int32_t>(bytes / OutBytes);
    const auto before = static_cast<uint32_t>(bytes - int64_t{word} * OutBytes);
    stores[i] = {
        word, (place + load.ahead()) | before << RunBegin::kAhead | (is_in ? 0 : RunBegin::kNone)};
  });
  __syncthreads();

  load.copy(shared);
  // While they are on their way. The table begins kSpare elements before a run and ends as many
  // behind it, with those at its ends, so that words that stand out of it take no other path.
  // A period's goes on into the next one.
  const uint32_t last = (Periodic ? of.period : store.run.elements) - 1;
  for (uint32_t i = threadIdx.x; i <= last + 2 * kSpare; i += cuda_permute::kThreads) {
    const uint32_t at = place_in_run(of.store, i < kSpare                      ? 0
                                               : Periodic || i - kSpare < last ? i - kSpare
                                                                               : last);
    auto* const all = reinterpret_cast<uint16_t*>(places);
    for (uint32_t k = 0; k < kOfEntry && k <= i; ++k)
      all[number(i - k) * kOfEntry + k] = static_cast<uint16_t>(at);
  }
  copies_arrive();
  __syncthreads();

  const auto store_bytes = static_cast<int32_t>(store.run.elements * Bytes);
  const uint32_t words_out = store.runs * store.run.words;
#pragma unroll 2
  for (uint32_t i = threadIdx.x; i < words_out; i += cuda_permute::kThreads) {
    const uint32_t run = i / store.run.by_words;
    const auto word = static_cast<int32_t>(i - run * store.run.words);
    const RunBegin begin = stores[run];
    const int32_t at = word * OutBytes - begin.ahead();
    if (at >= store_bytes || begin.is_none()) continue;
    unsigned char* const target = out_words + int64_t{begin.word + word} * OutBytes;
    uint32_t source = begin.place();
    auto entry = static_cast<uint32_t>(at / Bytes + kSpare);
    if constexpr (Periodic) {
      const uint32_t periods = static_cast<uint32_t>(at < 0 ? 0 : at / Bytes) / of.by_period;
      entry -= periods * of.period;
      source += periods * of.period_place;
    }
    Places where[kOfOut / kOfEntry];
#pragma unroll
    for (int k = 0; k < kOfOut / kOfEntry; ++k) where[k] = places[number(entry + k * kOfEntry)];
    Element elements[kOfOut];
#pragma unroll
    for (int k = 0; k < kOfOut; ++k) {
      uint32_t each = where[k / kOfEntry].words[k % kOfEntry / 2] >> 16 * (k % 2) & 0xffffu;
      // The tile may end with the run, so its first element stands for those behind it.
      if (Periodic && k > 0 && at + k * Bytes >= store_bytes) each = where[0].words[0] & 0xffffu;
      elements[k] =
          *reinterpret_cast<const Element*>(shared + spot<Swizzled, InBytes>(source + each));
    }
    if (at >= 0 && at + OutBytes <= store_bytes) {
      *reinterpret_cast<OutWord<Bytes, OutBytes>*>(target) = OutWord<Bytes, OutBytes>(elements);
    } else {
#pragma unroll
      for (int k = 0; k < kOfOut; ++k)
        if (at + k * Bytes >= 0 && at + k * Bytes < store_bytes)
          *reinterpret_cast<Element*>(target + k * Bytes) = elements[k];
    }
  }
}

}  // namespace xpose::kernels
