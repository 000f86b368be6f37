// Three rows of the input that are interleaved in the output, as the channels of an image are: a
// strip is a word of each row, and three words of the output. Runs are copied to shared memory as
// in runs.cuh. A thread has a strip; the lanes of a warp exchange their words, so that they store
// words that lie side by side.
#pragma once

#include "interleave.cuh"
#include "runs.cuh"

namespace xpose::kernels {

// of.store is in strips. Periodic: a run of them is longer than the table of places.
template <int Bytes, int InBytes, int MinBlocks, bool Periodic>
__global__ void __launch_bounds__(cuda_permute::kThreads, MinBlocks)
    permute_strips(const unsigned char* __restrict__ in, unsigned char* __restrict__ out,
                   const __grid_constant__ Runs of) {
  constexpr int kRows = cuda_permute::kStripRows;
  unsigned char* const shared = plugin::shared_memory<unsigned char>();
  auto* const places = reinterpret_cast<uint16_t*>(shared + of.tile_bytes);
  auto* const loads = reinterpret_cast<RunBegin*>(places + of.places);
  RunBegin* const stores = loads + of.load.runs;
  const int lane = threadIdx.x % 32;
  auto* const exchanged =
      reinterpret_cast<uint32_t*>(stores + of.store.runs) + (threadIdx.x - lane) * kRows;

  const TilePlace tile(of, blockIdx.x);
  const TileRuns store(of.store, tile.last);
  const RunLoads<Bytes, InBytes> load(of, tile, in, loads);
  store.each(of.store, tile.last, [&](uint32_t i, int32_t offset, uint32_t place, bool is_in) {
    stores[i] = {offset, (place + load.ahead()) | (is_in ? 0 : RunBegin::kNone)};
  });
  __syncthreads();
  load.copy(shared);
  const uint32_t held = Periodic ? of.period : store.run.elements;
  for (uint32_t i = threadIdx.x; i < held; i += cuda_permute::kThreads)
    places[i] = static_cast<uint16_t>(place_in_run(of.store, i));
  copies_arrive();
  __syncthreads();

  auto* const to = reinterpret_cast<uint32_t*>(out + tile.out * Bytes);
  const uint32_t strips = store.runs * store.run.words;
  for (uint32_t first = threadIdx.x - lane; first < strips; first += cuda_permute::kThreads) {
    const uint32_t i = first + lane, run = i < strips ? i / store.run.by_words : 0;
    uint32_t at = i - run * store.run.words;
    const RunBegin begin = stores[run];
    int32_t strip = -1;  // none
    uint32_t word[kRows] = {};
    if (i < strips && at < store.run.elements && !begin.is_none()) {
      strip = begin.word + static_cast<int32_t>(at);
      const unsigned char* source = shared + begin.place();
      if constexpr (Periodic) {
        const uint32_t periods = at / of.by_period;
        at -= periods * of.period;
        source += periods * of.period_place;
      }
      source += places[at];
#pragma unroll
      for (int k = 0; k < kRows; ++k)
        word[k] = *reinterpret_cast<const uint32_t*>(source + k * of.strip_place);
      interleave_words<Bytes>(word);
    }
#pragma unroll
    for (int k = 0; k < kRows; ++k) exchanged[lane * kRows + k] = word[k];
    __syncwarp();
#pragma unroll
    for (int k = 0; k < kRows; ++k) {
      const int number = lane + 32 * k;
      const int32_t of_word = __shfl_sync(0xffffffffu, strip, number / kRows);
      if (of_word >= 0) to[int64_t{of_word} * kRows + number % kRows] = exchanged[number];
    }
    __syncwarp();
  }
}

}  // namespace xpose::kernels
