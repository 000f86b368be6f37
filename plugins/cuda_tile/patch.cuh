// Rows by 16 bytes in registers, and their transpose: words by renaming, halfwords with one byte
// permute a word, bytes with two.
#pragma once

#include <cstdint>

namespace xpose::kernels {

// Stores Words words at once.
template <int Words>
__device__ __forceinline__ void store_words(unsigned char* to, const unsigned (&words)[Words]) {
  if constexpr (Words == 4)
    *reinterpret_cast<uint4*>(to) = make_uint4(words[0], words[1], words[2], words[3]);
  else if constexpr (Words == 2)
    *reinterpret_cast<uint2*>(to) = make_uint2(words[0], words[1]);
  else
    *reinterpret_cast<unsigned*>(to) = words[0];
}

template <int ElementBytes, int Rows>
struct Patch {
  static constexpr int kCols = 16 / ElementBytes;
  static constexpr int kWords = Rows * ElementBytes / 4;  // of a column
  static_assert(kWords == 1 || kWords == 2 || kWords == 4);

  uint4 row[Rows];

  __device__ __forceinline__ unsigned word(int i, int w) const {
    return w == 0 ? row[i].x : w == 1 ? row[i].y : w == 2 ? row[i].z : row[i].w;
  }

  // The columns' words: the patch transposed.
  __device__ __forceinline__ void cols(unsigned (&col)[kCols][kWords]) const {
    if constexpr (ElementBytes >= 4) {
      constexpr int kParts = ElementBytes / 4;  // words of an element
#pragma unroll
      for (int c = 0; c < kCols; ++c)
#pragma unroll
        for (int w = 0; w < kWords; ++w) col[c][w] = word(w / kParts, c * kParts + w % kParts);
    } else if constexpr (ElementBytes == 2) {
#pragma unroll
      for (int c = 0; c < kCols; c += 2)
#pragma unroll
        for (int w = 0; w < kWords; ++w) {
          const unsigned a = word(2 * w, c / 2), b = word(2 * w + 1, c / 2);
          col[c][w] = __byte_perm(a, b, 0x5410);
          col[c + 1][w] = __byte_perm(a, b, 0x7632);
        }
    } else {
#pragma unroll
      for (int c = 0; c < kCols; c += 4)
#pragma unroll
        for (int w = 0; w < kWords; ++w) {
          const unsigned r0 = word(4 * w, c / 4), r1 = word(4 * w + 1, c / 4);
          const unsigned r2 = word(4 * w + 2, c / 4), r3 = word(4 * w + 3, c / 4);
          const unsigned upper01 = __byte_perm(r0, r1, 0x5140);  // columns 0 and 1 of two rows
          const unsigned upper23 = __byte_perm(r0, r1, 0x7362);
          const unsigned lower01 = __byte_perm(r2, r3, 0x5140);
          const unsigned lower23 = __byte_perm(r2, r3, 0x7362);
          col[c][w] = __byte_perm(upper01, lower01, 0x5410);
          col[c + 1][w] = __byte_perm(upper01, lower01, 0x7632);
          col[c + 2][w] = __byte_perm(upper23, lower23, 0x5410);
          col[c + 3][w] = __byte_perm(upper23, lower23, 0x7632);
        }
    }
  }

  // Stores column c to to + c * pitch.
  __device__ __forceinline__ void store_cols(unsigned char* to, int pitch) const {
    unsigned col[kCols][kWords];
    cols(col);
#pragma unroll
    for (int c = 0; c < kCols; ++c) store_words(to + c * pitch, col[c]);
  }
};

}  // namespace xpose::kernels
