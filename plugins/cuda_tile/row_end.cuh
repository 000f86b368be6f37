// 16 bytes at the end of a row that has only so many elements left: nothing outside of them is read
// or written.
#pragma once

#include <cstdint>

namespace xpose::kernels {

// The first `left` elements of 16 bytes at from, which is 16-byte aligned; the others are
// unspecified.
template <int ElementBytes>
__device__ __forceinline__ uint4 load_row_end(const unsigned char* from, int left) {
  if (left * ElementBytes >= 16) return *reinterpret_cast<const uint4*>(from);
  uint4 value = make_uint4(0, 0, 0, 0);
  if (left <= 0 || ElementBytes == 16) return value;
  const int bytes = left * ElementBytes;
  if constexpr (ElementBytes == 8) {
    const uint2 low = *reinterpret_cast<const uint2*>(from);
    value.x = low.x;
    value.y = low.y;
  } else {
    const auto* const words = reinterpret_cast<const unsigned*>(from);
    if (bytes >= 4) value.x = words[0];
    if (bytes >= 8) value.y = words[1];
    if (bytes >= 12) value.z = words[2];
    if constexpr (ElementBytes < 4) {
      const unsigned char* const rest = from + (bytes & ~3);
      unsigned part = 0;
      if (bytes & 2) part = *reinterpret_cast<const uint16_t*>(rest);
      if constexpr (ElementBytes == 1)
        if (bytes & 1) part |= unsigned{rest[bytes & 2]} << (bytes & 2) * 8;
      if (bytes / 4 == 0) value.x = part;
      if (bytes / 4 == 1) value.y = part;
      if (bytes / 4 == 2) value.z = part;
      if (bytes / 4 == 3) value.w = part;
    }
  }
  return value;
}

// Stores the first `left` elements of value to `to`, which is 16-byte aligned.
template <int ElementBytes>
__device__ __forceinline__ void store_row_end(unsigned char* to, uint4 value, int left) {
  if (left * ElementBytes >= 16) {
    *reinterpret_cast<uint4*>(to) = value;
    return;
  }
  if (left <= 0 || ElementBytes == 16) return;
  const int bytes = left * ElementBytes;
  if constexpr (ElementBytes == 8) {
    *reinterpret_cast<uint2*>(to) = make_uint2(value.x, value.y);
  } else {
    auto* const words = reinterpret_cast<unsigned*>(to);
    if (bytes >= 4) words[0] = value.x;
    if (bytes >= 8) words[1] = value.y;
    if (bytes >= 12) words[2] = value.z;
    if constexpr (ElementBytes < 4) {
      const unsigned part = bytes / 4 == 0   ? value.x
                            : bytes / 4 == 1 ? value.y
                            : bytes / 4 == 2 ? value.z
                                             : value.w;
      unsigned char* const rest = to + (bytes & ~3);
      if (bytes & 2) *reinterpret_cast<uint16_t*>(rest) = static_cast<uint16_t>(part);
      if constexpr (ElementBytes == 1)
        if (bytes & 1) rest[bytes & 2] = static_cast<unsigned char>(part >> (bytes & 2) * 8);
    }
  }
}

}  // namespace xpose::kernels
