// CUDA's vector types, with CUDA's alignments, for a host compiler.
#pragma once

#ifndef __CUDACC__

#define XPOSE_SIMULATOR_VECTORS(T, NAME, ALIGN2, ALIGN4)                \
  struct NAME##1 {                                                      \
    T x;                                                                \
  };                                                                    \
  struct alignas(ALIGN2) NAME##2 {                                      \
    T x, y;                                                             \
  };                                                                    \
  struct NAME##3 {                                                      \
    T x, y, z;                                                          \
  };                                                                    \
  struct alignas(ALIGN4) NAME##4 {                                      \
    T x, y, z, w;                                                       \
  };                                                                    \
  constexpr NAME##1 make_##NAME##1(T x) { return {x}; }                 \
  constexpr NAME##2 make_##NAME##2(T x, T y) { return {x, y}; }         \
  constexpr NAME##3 make_##NAME##3(T x, T y, T z) { return {x, y, z}; } \
  constexpr NAME##4 make_##NAME##4(T x, T y, T z, T w) { return {x, y, z, w}; }

XPOSE_SIMULATOR_VECTORS(signed char, char, 2, 4)
XPOSE_SIMULATOR_VECTORS(unsigned char, uchar, 2, 4)
XPOSE_SIMULATOR_VECTORS(short, short, 4, 8)
XPOSE_SIMULATOR_VECTORS(unsigned short, ushort, 4, 8)
XPOSE_SIMULATOR_VECTORS(int, int, 8, 16)
XPOSE_SIMULATOR_VECTORS(unsigned, uint, 8, 16)
XPOSE_SIMULATOR_VECTORS(long long, longlong, 16, 16)
XPOSE_SIMULATOR_VECTORS(unsigned long long, ulonglong, 16, 16)
XPOSE_SIMULATOR_VECTORS(float, float, 8, 16)
XPOSE_SIMULATOR_VECTORS(double, double, 16, 16)
#undef XPOSE_SIMULATOR_VECTORS

// The extents of a grid or of a block.
struct dim3 {
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
  constexpr dim3(uint3 other) : x(other.x), y(other.y), z(other.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
  unsigned x, y, z;
};

#endif  // __CUDACC__
