// Three rows of the input that are interleaved in the output, as the channels of an image are, in
// registers: a strip is a word of each row, and as many words of the output, side by side. Strips
// of wide words are moved here, those of others in strips.cuh.
#pragma once

#include "permute.cuh"

namespace xpose::kernels {

using cuda_permute::kStripRows;

// The words of three rows, four bytes or two halfwords of each, one element of each after the
// other.
template <int Bytes>
__device__ __forceinline__ void interleave_words(uint32_t (&word)[kStripRows]) {
  const uint32_t a = word[0], b = word[1], c = word[2];
  if constexpr (Bytes == 1) {
    const uint32_t low = __byte_perm(a, b, 0x5140),
                   high = __byte_perm(a, b, 0x7362);                   // a0 b0 a1 b1
    word[0] = __byte_perm(low, c, 0x2410);                             // a0 b0 c0 a1
    word[1] = __byte_perm(__byte_perm(low, c, 0x0053), high, 0x5410);  // b1 c1 a2 b2
    word[2] = __byte_perm(high, c, 0x7326);                            // c2 a3 b3 c3
  } else {
    word[0] = __byte_perm(a, b, 0x5410);  // a0 b0
    word[1] = __byte_perm(c, a, 0x7610);  // c0 a1
    word[2] = __byte_perm(b, c, 0x7632);  // b1 c1
  }
}

// Stores what three rows have, interleaved.
template <int Bytes, class Word>
__device__ __forceinline__ void interleave(const Word (&rows)[kStripRows], Word* to) {
  constexpr int kParts = sizeof(Word) / sizeof(uint32_t);
  Word columns[kStripRows];
#pragma unroll
  for (int part = 0; part < kParts; ++part) {
    uint32_t strip[kStripRows];
#pragma unroll
    for (int row = 0; row < kStripRows; ++row) strip[row] = rows[row].words[part];
    interleave_words<Bytes>(strip);
#pragma unroll
    for (int k = 0; k < kStripRows; ++k) {
      const int number = part * kStripRows + k;
      columns[number / kParts].words[number % kParts] = strip[k];
    }
  }
#pragma unroll
  for (int col = 0; col < kStripRows; ++col) to[col] = columns[col];
}

// Where N strips of a thread begin on both sides, in words; `out` < 0: not in the tile. They are
// numbered thread + i * blockDim.x in the order of the output.
template <int N>
struct StripSlots {
  int32_t in[N], out[N];

  __device__ __forceinline__ StripSlots(const Permutation& of, uint32_t last) {
    uint32_t rest[N];
    bool is_in[N];
#pragma unroll
    for (int i = 0; i < N; ++i) {
      rest[i] = threadIdx.x + i * blockDim.x;
      in[i] = out[i] = 0;
      is_in[i] = true;
    }
#pragma unroll 1
    for (int a = 0; a < of.store_axes; ++a) {
      const TileAxis& axis = of.store_axis[a];
      const auto in_stride = static_cast<int32_t>(of.load_axis[a].stride);
      const uint32_t bound = (axis.cut & last) != 0 ? axis.left : axis.extent;
#pragma unroll
      for (int i = 0; i < N; ++i) {
        const uint32_t above = rest[i] / axis.by_extent, index = rest[i] - above * axis.extent;
        rest[i] = above;
        in[i] += static_cast<int32_t>(index) * in_stride;
        out[i] += static_cast<int32_t>(index) * static_cast<int32_t>(axis.stride);
        is_in[i] &= index < bound;
      }
    }
#pragma unroll
    for (int i = 0; i < N; ++i)
      if (!is_in[i] || rest[i] != 0) out[i] = -1;
  }
};

// Kept in registers on their way, in the order of the output: the words of a strip come from three
// rows, and those of a warp's strips are exchanged in shared memory, so that lanes store words that
// lie side by side. A thread has Count strips.
template <int Bytes, int Count, int MinBlocks>
__global__ void __launch_bounds__(cuda_permute::kThreads, MinBlocks)
    permute_wide_strips(const unsigned char* __restrict__ in, unsigned char* __restrict__ out,
                        const __grid_constant__ Permutation of) {
  using Word = Pack<cuda_permute::kStripWord>;
  const int lane = threadIdx.x % 32;
  Word* const exchanged = plugin::shared_memory<Word>() + (threadIdx.x - lane) * kStripRows;
  const TilePlace tile(of, blockIdx.x);
  StripSlots<Count> slots(of, tile.last);
  const Word* const from = reinterpret_cast<const Word*>(in) + tile.in;
  Word* const to = reinterpret_cast<Word*>(out) + tile.out;

  Word words[Count][kStripRows] = {};
#pragma unroll
  for (int i = 0; i < Count; ++i)
    if (slots.out[i] >= 0) {
#pragma unroll
      for (int row = 0; row < kStripRows; ++row)
        words[i][row] = from[slots.in[i] + row * of.row_stride];
    }
#pragma unroll
  for (int i = 0; i < Count; ++i) {
    if (i > 0) __syncwarp();
    interleave<Bytes>(words[i], exchanged + lane * kStripRows);
    __syncwarp();
#pragma unroll
    for (int k = 0; k < kStripRows; ++k) {
      const int number = lane + 32 * k;
      const int32_t strip = __shfl_sync(0xffffffffu, slots.out[i], number / kStripRows);
      if (strip >= 0) to[strip + number % kStripRows] = exchanged[number];
    }
  }
}

}  // namespace xpose::kernels
