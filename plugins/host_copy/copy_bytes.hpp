// Ways of x86-64 to copy bytes without first reading the lines that are overwritten.
#pragma once

#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace host {

// Whole 64-byte lines by 16-byte non-temporal stores, the ragged ends by memcpy. Each line is asked
// for into the second-level cache Ahead bytes before its turn, or not at all (0).
template <size_t Ahead>
void copy_stream(unsigned char* out, const unsigned char* in, size_t bytes) {
  const size_t head = std::min<size_t>(-reinterpret_cast<uintptr_t>(out) % 64, bytes);
  std::memcpy(out, in, head);
  size_t at = head;
  for (; at + 64 <= bytes; at += 64) {
    if constexpr (Ahead != 0) __builtin_prefetch(in + at + Ahead, 0, 2);
    const auto* const source = reinterpret_cast<const __m128i*>(in + at);
    auto* const target = reinterpret_cast<__m128i*>(out + at);
    const __m128i a = _mm_loadu_si128(source), b = _mm_loadu_si128(source + 1),
                  c = _mm_loadu_si128(source + 2), d = _mm_loadu_si128(source + 3);
    _mm_stream_si128(target, a);
    _mm_stream_si128(target + 1, b);
    _mm_stream_si128(target + 2, c);
    _mm_stream_si128(target + 3, d);
  }
  std::memcpy(out + at, in + at, bytes - at);
  _mm_sfence();  // non-temporal stores are not ordered with the caller's later ones
}

inline void copy_rep_movsb(unsigned char* out, const unsigned char* in, size_t bytes) {
  asm volatile("rep movsb" : "+D"(out), "+S"(in), "+c"(bytes) : : "memory");
}

}  // namespace host

#endif
