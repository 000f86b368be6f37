// Words of packed elements: the unit in which rows that begin at any element are moved, so that
// elements of 1 and 2 bytes travel four and two at a time.
#pragma once

#include <cstdint>
#include <type_traits>
#include <xpose/cuda.hpp>

namespace xpose::kernels {

template <int Bytes>
using WordOf = std::conditional_t<Bytes <= 4, uint32_t,
                                  std::conditional_t<Bytes == 8, uint64_t, plugin::Element<16>>>;

// Transposes 4x4 bytes or 2x2 halfwords: word i is row i before, and column i after.
template <int Bytes, class Word, int Count>
__device__ __forceinline__ void transpose_words(Word (&word)[Count]) {
  if constexpr (Bytes == 1) {
    const uint32_t low01 = __byte_perm(word[0], word[1], 0x5140);
    const uint32_t high01 = __byte_perm(word[0], word[1], 0x7362);
    const uint32_t low23 = __byte_perm(word[2], word[3], 0x5140);
    const uint32_t high23 = __byte_perm(word[2], word[3], 0x7362);
    word[0] = __byte_perm(low01, low23, 0x5410);
    word[1] = __byte_perm(low01, low23, 0x7632);
    word[2] = __byte_perm(high01, high23, 0x5410);
    word[3] = __byte_perm(high01, high23, 0x7632);
  } else if constexpr (Bytes == 2) {
    const uint32_t low = __byte_perm(word[0], word[1], 0x5410);
    word[1] = __byte_perm(word[0], word[1], 0x7632);
    word[0] = low;
  }
}

// Stores Count words at a multiple of their bytes, in one access.
template <int Count, class Word>
__device__ __forceinline__ void store_words(unsigned char* at, const Word* word) {
  struct alignas(sizeof(Word) * Count) Vector {
    Word word[Count];
  } vector;
#pragma unroll
  for (int i = 0; i < Count; ++i) vector.word[i] = word[i];
  *reinterpret_cast<Vector*>(at) = vector;
}

// Stores one element of a word.
template <int Bytes, class Word>
__device__ __forceinline__ void store_element(unsigned char* at, const Word& word, int index) {
  if constexpr (Bytes == sizeof(Word)) {
    *reinterpret_cast<Word*>(at) = word;
  } else {
    using Raw = plugin::Element<Bytes>;
    reinterpret_cast<Raw*>(at)->words[0] =
        static_cast<typename Raw::Word>(word >> 8 * Bytes * index);
  }
}

}  // namespace xpose::kernels
