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

// Elements of one row that a block may read, and the whole words around them: the neighbouring rows
// are elements too where rows are dense, but never the gap between rows, nor the memory around the
// matrix.
struct Readable {
  const unsigned char *begin, *end;  // of the row
  const unsigned char *words_begin, *words_end;
};

// The words at an address that is a multiple of their size; of a word that is not readable as a
// whole, its elements in the row.
template <int Bytes, class Word, int Count>
__device__ __forceinline__ void load_edge_words(const unsigned char* at, const Readable& may,
                                                Word (&words)[Count]) {
  struct alignas(sizeof words) Words {
    Word word[Count];
  };
  if (at >= may.words_begin && at + sizeof words <= may.words_end) {
    const Words all = *reinterpret_cast<const Words*>(at);
#pragma unroll
    for (int i = 0; i < Count; ++i) words[i] = all.word[i];
    return;
  }
#pragma unroll
  for (int i = 0; i < Count; ++i) {
    words[i] = Word{};
    if constexpr (Bytes < sizeof(Word)) {
      using Raw = plugin::Element<Bytes>;
      for (int k = 0; k < static_cast<int>(sizeof(Word)); k += Bytes) {
        const unsigned char* const element = at + i * sizeof(Word) + k;
        if (element >= may.begin && element < may.end)
          words[i] |= static_cast<Word>(reinterpret_cast<const Raw*>(element)->words[0]) << 8 * k;
      }
    }
  }
}

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
