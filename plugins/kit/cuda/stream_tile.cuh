// A piece of a dense stream of rows in shared memory. The stream enters and leaves it in 16-byte
// vectors at addresses that are multiples of 16, wherever it begins; a thread takes from it, or
// puts into it, V = 16 / sizeof(E) elements of one column, a row apart, which are a vector of the
// transposed side. The next vector of that column is V rows on, which is 16 * width bytes: a gap of
// 16 bytes behind them, where the width is even, puts eight such threads 16 bytes apart modulo the
// 128 of all banks, and the threads with the next columns between them.
#pragma once

#include <cstdint>
#include <xpose/cuda.hpp>

namespace xpose::kernels {

// x / divisor by one multiplication, for x < 2^16 and divisors from 2 to 2^16: the reciprocal is
// too large by less than 2^-32 (Granlund and Montgomery, "Division by Invariant Integers using
// Multiplication", 1994).
struct Divisor {
  uint32_t reciprocal;

  explicit Divisor(int64_t divisor)
      : reciprocal(0xffffffffu / static_cast<uint32_t>(divisor) + 1) {}
};

__device__ __forceinline__ int operator/(int x, Divisor divisor) {
  return static_cast<int>(__umulhi(static_cast<unsigned>(x), divisor.reciprocal));
}

struct alignas(16) Vector {
  uint32_t words[4];
};

inline constexpr int kItems = 4;  // vectors that a thread has in flight

template <class E>
inline constexpr int kVector = 16 / static_cast<int>(sizeof(E));  // elements of a vector

// The vector of get(0), get(1), ...
template <class E, class Get>
__device__ __forceinline__ Vector pack(const Get& get) {
  Vector vector;
  if constexpr (sizeof(E) == 1) {
#pragma unroll
    for (int w = 0; w < 4; ++w) {
      const uint32_t a = get(4 * w).words[0], b = get(4 * w + 1).words[0];
      const uint32_t c = get(4 * w + 2).words[0], d = get(4 * w + 3).words[0];
      vector.words[w] = __byte_perm(__byte_perm(a, b, 0x0040), __byte_perm(c, d, 0x0040), 0x5410);
    }
  } else if constexpr (sizeof(E) == 2) {
#pragma unroll
    for (int w = 0; w < 4; ++w) {
      const uint32_t low = get(2 * w).words[0], high = get(2 * w + 1).words[0];
      vector.words[w] = __byte_perm(low, high, 0x5410);
    }
  } else if constexpr (sizeof(E) == 4) {
#pragma unroll
    for (int w = 0; w < 4; ++w) vector.words[w] = get(w).words[0];
  } else {
    constexpr int kWords = sizeof(E) / 8;
#pragma unroll
    for (int i = 0; i < kVector<E>; ++i) {
      const E element = get(i);
      for (int w = 0; w < kWords; ++w) {
        vector.words[2 * (i * kWords + w)] = static_cast<uint32_t>(element.words[w]);
        vector.words[2 * (i * kWords + w) + 1] = static_cast<uint32_t>(element.words[w] >> 32);
      }
    }
  }
  return vector;
}

// Element i of a vector.
template <class E>
__device__ __forceinline__ E unpack(const Vector& vector, int i) {
  E element;
  if constexpr (sizeof(E) <= 4) {
    constexpr int kPerWord = 4 / sizeof(E);
    element.words[0] =
        static_cast<typename E::Word>(vector.words[i / kPerWord] >> 8 * sizeof(E) * (i % kPerWord));
  } else {
    constexpr int kWords = sizeof(E) / 8;
    for (int w = 0; w < kWords; ++w)
      element.words[w] = vector.words[2 * (i * kWords + w)] |
                         static_cast<uint64_t>(vector.words[2 * (i * kWords + w) + 1]) << 32;
  }
  return element;
}

// How far an address is past a multiple of 16, in bytes.
__device__ __forceinline__ int past_vector(const void* address) {
  return static_cast<int>(reinterpret_cast<uintptr_t>(address) & 15);
}

// The vectors of a span of bytes that begins `skew` bytes behind an address that is a multiple of
// 16 and ends `end` bytes behind it: those from first to last lie in it. The rest are `head`
// bytes before and `tail` bytes behind.
struct VectorSpan {
  int skew, first, last, head, tail;

  __device__ __forceinline__ VectorSpan(int skew_bytes, int bytes)
      : skew(skew_bytes),
        first(skew == 0 ? 0 : 1),
        last(max(first, (skew + bytes) / 16)),
        head(min(16 * first, skew + bytes) - skew),
        tail(skew + bytes - 16 * last) {}
};

// Rows of `width` elements that begin `skew` bytes behind a multiple of 16, as they do in global
// memory. With Gaps, there are kGap bytes behind every group of V rows, 16 * width bytes.
template <class E, bool Gaps>
struct StreamTile {
  static constexpr int kBytes = static_cast<int>(sizeof(E));
  static constexpr int V = kVector<E>;

  unsigned char* tile;
  int row_bytes, skew, gap;
  Divisor by_width;

  // gap: bytes, a multiple of 16; 0 unless Gaps.
  __device__ __forceinline__ StreamTile(int width, int skew_bytes, int gap_bytes, Divisor divisor)
      : tile(plugin::shared_memory<unsigned char>()),
        row_bytes(width * kBytes),
        skew(skew_bytes),
        gap(gap_bytes),
        by_width(divisor) {}

  // Bytes of the gaps before vector q.
  __device__ __forceinline__ int gaps_before(int q) const { return Gaps ? q / by_width * gap : 0; }
  __device__ __forceinline__ Vector& vector(int q) const {
    return *reinterpret_cast<Vector*>(tile + q * 16 + gaps_before(q));
  }

  // The element that begins `offset` bytes behind the first one of the stream.
  __device__ __forceinline__ E& at(int offset) const {
    const int place = offset + skew;
    return *reinterpret_cast<E*>(tile + place + gaps_before(place >> 4));
  }

  // V elements of a column, the first of them `offset` bytes behind the first of the stream. Less
  // than a group, so at most one gap, lies between them.
  struct Column {
    unsigned char* first;
    int row_bytes, gap, before_gap;  // bytes from the first to where the next gap begins

    __device__ __forceinline__ E& operator[](int i) const {
      const int step = i * row_bytes;
      return *reinterpret_cast<E*>(first + step + (Gaps && step >= before_gap ? gap : 0));
    }
  };
  __device__ __forceinline__ Column column(int offset) const {
    const int place = offset + skew, group_bytes = V * row_bytes;
    const int group = Gaps ? (place >> 4) / by_width : 0;
    return {tile + place + group * gap, row_bytes, gap, (group + 1) * group_bytes - place};
  }
  __device__ __forceinline__ Vector get_column(int offset) const {
    const Column from = column(offset);
    return pack<E>([&](int i) { return from[i]; });
  }
  __device__ __forceinline__ void put_column(int offset, const Vector& vector) const {
    const Column to = column(offset);
#pragma unroll
    for (int i = 0; i < V; ++i) to[i] = unpack<E>(vector, i);
  }

  // The element outside of all vectors that this thread moves, or -1. A block has at least 32
  // threads.
  __device__ __forceinline__ int edge_of(const VectorSpan& span, int elements) const {
    const int thread = threadIdx.x;
    if (thread < V) return thread * kBytes < span.head ? thread : -1;
    return (thread - V) * kBytes < span.tail ? elements - 1 - (thread - V) : -1;
  }

  // Reads `elements` of the stream from global memory, with all threads of the block.
  __device__ __forceinline__ void load_stream(const E* __restrict__ in, int elements) const {
    const VectorSpan span(skew, elements * kBytes);
    const Vector* const vectors =
        reinterpret_cast<const Vector*>(reinterpret_cast<const unsigned char*>(in) - skew);
    const int threads = blockDim.x, thread = threadIdx.x;
    const int edge = edge_of(span, elements);
    E edge_value;  // in flight while the vectors are
    if (edge >= 0) edge_value = in[edge];
    for (int first = span.first + thread; first < span.last; first += kItems * threads) {
      Vector value[kItems];
#pragma unroll
      for (int i = 0; i < kItems; ++i)
        if (first + i * threads < span.last) value[i] = vectors[first + i * threads];
#pragma unroll
      for (int i = 0; i < kItems; ++i)
        if (first + i * threads < span.last) vector(first + i * threads) = value[i];
    }
    if (edge >= 0) at(edge * kBytes) = edge_value;
  }
  __device__ __forceinline__ void store_stream(E* __restrict__ out, int elements) const {
    const VectorSpan span(skew, elements * kBytes);
    Vector* const vectors = reinterpret_cast<Vector*>(reinterpret_cast<unsigned char*>(out) - skew);
    const int threads = blockDim.x, thread = threadIdx.x;
    const int edge = edge_of(span, elements);
    if (edge >= 0) out[edge] = at(edge * kBytes);
    for (int first = span.first + thread; first < span.last; first += kItems * threads) {
#pragma unroll
      for (int i = 0; i < kItems; ++i)
        if (first + i * threads < span.last)
          vectors[first + i * threads] = vector(first + i * threads);
    }
  }
};

}  // namespace xpose::kernels
