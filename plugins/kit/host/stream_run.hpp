// Runs of bytes that are written past the caches, without first reading the lines they overwrite.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace host {

#if defined(__x86_64__)
inline constexpr bool kCanStream = true;
#else
inline constexpr bool kCanStream = false;  // runs are written as memcpy does
#endif

// Whole lines by 16-byte non-temporal stores, the ragged ends by ordinary ones. Each line is asked
// for into the second-level cache Ahead bytes before its turn, or not at all (0). Not ordered with
// later stores until finish_streams.
template <int64_t Ahead = 0>
inline void stream_run(unsigned char* to, const unsigned char* from, int64_t bytes) {
#if defined(__x86_64__)
  constexpr int64_t kLine = 64;
  const int64_t head = std::min<int64_t>(-reinterpret_cast<uintptr_t>(to) % kLine, bytes);
  if (head != 0) std::memcpy(to, from, static_cast<size_t>(head));
  int64_t at = head;
  for (; at + kLine <= bytes; at += kLine) {
    if constexpr (Ahead != 0) __builtin_prefetch(from + at + Ahead, 0, 2);
    const auto* const source = reinterpret_cast<const __m128i*>(from + at);
    auto* const target = reinterpret_cast<__m128i*>(to + at);
    const __m128i a = _mm_loadu_si128(source), b = _mm_loadu_si128(source + 1),
                  c = _mm_loadu_si128(source + 2), d = _mm_loadu_si128(source + 3);
    _mm_stream_si128(target, a);
    _mm_stream_si128(target + 1, b);
    _mm_stream_si128(target + 2, c);
    _mm_stream_si128(target + 3, d);
  }
  if (at != bytes) std::memcpy(to + at, from + at, static_cast<size_t>(bytes - at));
#else
  std::memcpy(to, from, static_cast<size_t>(bytes));
#endif
}

inline void finish_streams() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

}  // namespace host
