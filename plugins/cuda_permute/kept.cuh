// Kept runs whose bytes lie otherwise in words of the input than in those of the output. A thread
// has a word of the output, loads the two words of the input that hold its bytes, of which a
// neighbour loads one as well, and shifts them. The ends of a run are stored in smaller words.
#pragma once

#include <cstdint>
#include <xpose/cuda.hpp>

#include "kept.hpp"
#include "permute.cuh"

namespace xpose::kernels {

using cuda_permute::Kept, cuda_permute::KeptAxis;

using KeptWord = Pack<cuda_permute::kKeptWord>;

// Where a piece begins, in bytes from the first ones of its tile.
struct PieceBegin {
  int64_t in, out;

  static constexpr int64_t kNone = INT64_MIN;  // of `in`: the last tile has no such piece
};

__device__ __forceinline__ PieceBegin begin_of(const Kept& of, uint32_t last, uint32_t piece) {
  PieceBegin begin{0, 0};
  bool is_in = true;
#pragma unroll 1
  for (int a = 0; a < of.axes; ++a) {
    const KeptAxis& axis = of.axis[a];
    const uint32_t above = piece / axis.by_extent, index = piece - above * axis.extent;
    piece = above;
    begin.in += index * axis.in;
    begin.out += index * axis.out;
    is_in &= (axis.cut & last) == 0 || index < axis.left;
  }
  if (!is_in) begin.in = PieceBegin::kNone;
  return begin;
}

// The word that begins with byte `shift` of `low`, and goes on in `high`.
__device__ __forceinline__ KeptWord shifted(const KeptWord& low, const KeptWord& high,
                                            uint32_t shift) {
  constexpr int kWords = sizeof(KeptWord) / 4;
  uint32_t words[2 * kWords];
#pragma unroll
  for (int i = 0; i < kWords; ++i) {
    words[i] = low.words[i];
    words[kWords + i] = high.words[i];
  }
  // By half a word, by a quarter, and by bytes of that.
#pragma unroll
  for (int i = 0; i < 2 * kWords - 2; ++i) words[i] = (shift & 8) != 0 ? words[i + 2] : words[i];
#pragma unroll
  for (int i = 0; i < kWords + 1; ++i) words[i] = (shift & 4) != 0 ? words[i + 1] : words[i];
  KeptWord word;
#pragma unroll
  for (int i = 0; i < kWords; ++i)
    word.words[i] = __funnelshift_r(words[i], words[i + 1], 8 * (shift & 3));
  return word;
}

// Stores the first bytes of a word, and drops them, if it has as many.
template <int Bytes>
__device__ __forceinline__ void store_first(KeptWord& word, unsigned char*& to, int32_t& left) {
  if (left < Bytes) return;
  constexpr int kWords = sizeof(KeptWord) / 4, kWhole = Bytes / 4;
  Pack<Bytes> part;
  constexpr int kParts = sizeof(part) / sizeof(part.words[0]);
#pragma unroll
  for (int i = 0; i < kParts; ++i)
    part.words[i] = static_cast<typename Pack<Bytes>::Word>(word.words[i]);
  *reinterpret_cast<Pack<Bytes>*>(to) = part;
  to += Bytes;
  left -= Bytes;
#pragma unroll
  for (int i = 0; i < kWords; ++i) {
    const uint32_t next = i + 1 < kWords ? word.words[i + 1] : 0;
    if constexpr (kWhole > 0)
      word.words[i] = i + kWhole < kWords ? word.words[i + kWhole] : 0;
    else
      word.words[i] = __funnelshift_r(word.words[i], next, 8 * Bytes);
  }
}

// Less than a word, within a word of the output.
__device__ __forceinline__ void store_part(KeptWord word, unsigned char* to, int32_t bytes) {
  const auto at = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(to));
  if ((at & 1) != 0) store_first<1>(word, to, bytes);
  if ((at + 1 & 2) != 0) store_first<2>(word, to, bytes);
  if ((at + 3 & 4) != 0) store_first<4>(word, to, bytes);
  store_first<8>(word, to, bytes);
  store_first<4>(word, to, bytes);
  store_first<2>(word, to, bytes);
  store_first<1>(word, to, bytes);
}

template <int Threads, int MinBlocks>
__global__ void __launch_bounds__(Threads, MinBlocks)
    permute_kept(const unsigned char* __restrict__ in, unsigned char* __restrict__ out,
                 const __grid_constant__ Kept of) {
  constexpr int kBytes = sizeof(KeptWord);
  auto* const begins = plugin::shared_memory<PieceBegin>();
  const TilePlace tile(of, blockIdx.x);
  for (uint32_t piece = threadIdx.x; piece < of.pieces; piece += Threads)
    begins[piece] = begin_of(of, tile.last, piece);
  __syncthreads();

  const Kept::Piece piece = (of.cut & tile.last) != 0 ? of.last_piece : of.piece;
  const auto piece_bytes = static_cast<int32_t>(piece.bytes);
  const uint32_t words = of.pieces * piece.words;
  for (uint32_t i = threadIdx.x; i < words; i += Threads) {
    const uint32_t number = i / piece.by_words;
    const PieceBegin begin = begins[number];
    if (begin.in == PieceBegin::kNone) continue;
    unsigned char* const run = out + tile.out * of.element_bytes + begin.out;
    const auto ahead = static_cast<int32_t>(reinterpret_cast<uintptr_t>(run) % kBytes);
    const int32_t first = static_cast<int32_t>(i - number * piece.words) * kBytes - ahead;
    const int32_t at = first < 0 ? 0 : first;  // the first word begins before the piece
    const int32_t end = first + kBytes < piece_bytes ? first + kBytes : piece_bytes;
    const int32_t bytes = end - at;
    if (bytes <= 0) continue;
    unsigned char* const to = run + at;
    const unsigned char* const from = in + tile.in * of.element_bytes + begin.in + at;
    const auto shift = static_cast<int32_t>(reinterpret_cast<uintptr_t>(from) % kBytes);
    const unsigned char* const low = from - shift;
    const bool has_two = shift + bytes > kBytes;
    // Words of the input do not reach beyond its ends.
    if (low < in - of.low || low + (has_two ? 2 : 1) * kBytes > in + of.end) {
      for (int32_t k = 0; k < bytes; ++k) to[k] = from[k];
      continue;
    }
    const auto word = [&](const unsigned char* at) {
      return *reinterpret_cast<const KeptWord*>(at);
    };
    const KeptWord loaded = word(low);
    const KeptWord moved = shifted(loaded, has_two ? word(low + kBytes) : loaded, shift);
    if (bytes == kBytes)
      *reinterpret_cast<KeptWord*>(to) = moved;
    else
      store_part(moved, to, bytes);
  }
}

}  // namespace xpose::kernels
