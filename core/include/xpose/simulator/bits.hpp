// CUDA's functions on integers, for a host compiler. Their contracts are those of the CUDA Math
// API, "Integer Intrinsics".
#pragma once

#ifndef __CUDACC__

#include <cstdint>

// Bytes of (b, a), numbered from a's lowest, put together anew. Bits 4i to 4i + 2 of the selector
// name the source of byte i of the result. Bit 4i + 3 repeats that byte's sign eight times instead.
constexpr unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
  const uint64_t bytes = uint64_t{b} << 32 | a;
  unsigned result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned nibble = selector >> 4 * i & 0xf;
    unsigned byte = bytes >> 8 * (nibble & 7) & 0xff;
    if (nibble & 8) byte = byte & 0x80 ? 0xff : 0;
    result |= byte << 8 * i;
  }
  return result;
}

// 32 bits of (high, low): the upper ones after a shift to the left, the lower ones after one to the
// right. The plain forms take the shift modulo 32, those with a c at most 32.
constexpr unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((uint64_t{high} << 32 | low) << (shift & 31) >> 32);
}
constexpr unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((uint64_t{high} << 32 | low) >> (shift & 31));
}
constexpr unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
constexpr unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}

constexpr int __popc(unsigned x) { return __builtin_popcount(x); }
constexpr int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
constexpr int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
constexpr int __clzll(long long x) {
  return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}
constexpr int __ffs(int x) { return __builtin_ffs(x); }
constexpr int __ffsll(long long x) { return __builtin_ffsll(x); }
constexpr unsigned __brev(unsigned x) {
  unsigned result = 0;
  for (int i = 0; i < 32; ++i) result |= (x >> i & 1u) << (31 - i);
  return result;
}
constexpr unsigned long long __brevll(unsigned long long x) {
  return static_cast<unsigned long long>(__brev(static_cast<unsigned>(x))) << 32 |
         __brev(static_cast<unsigned>(x >> 32));
}

constexpr int __mulhi(int a, int b) { return static_cast<int>(int64_t{a} * b >> 32); }
constexpr unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(uint64_t{a} * b >> 32);
}
constexpr unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<unsigned long long>(static_cast<Wide>(a) * b >> 64);
}
// The lower 32 bits of the product of the lower 24 bits of each.
constexpr int __mul24(int a, int b) {
  const auto low = [](int x) {
    return int64_t{static_cast<int>(static_cast<unsigned>(x) << 8) >> 8};
  };
  return static_cast<int>(static_cast<uint64_t>(low(a) * low(b)));
}
constexpr unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }

#define XPOSE_SIMULATOR_MIN_MAX(T)                    \
  constexpr T min(T a, T b) { return b < a ? b : a; } \
  constexpr T max(T a, T b) { return a < b ? b : a; }
XPOSE_SIMULATOR_MIN_MAX(int)
XPOSE_SIMULATOR_MIN_MAX(unsigned)
XPOSE_SIMULATOR_MIN_MAX(long)
XPOSE_SIMULATOR_MIN_MAX(unsigned long)
XPOSE_SIMULATOR_MIN_MAX(long long)
XPOSE_SIMULATOR_MIN_MAX(unsigned long long)
XPOSE_SIMULATOR_MIN_MAX(float)
XPOSE_SIMULATOR_MIN_MAX(double)
#undef XPOSE_SIMULATOR_MIN_MAX

#endif  // __CUDACC__
