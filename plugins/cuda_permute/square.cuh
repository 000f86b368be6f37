// A square of elements in registers, whose rows and columns are single accesses of memory.
#pragma once

#include <cstdint>
#include <type_traits>
#include <xpose/cuda.hpp>

namespace xpose::kernels {

// Bytes that move at once, at addresses that are multiples of their number.
template <int Bytes>
struct alignas(Bytes) Pack {
  using Word =
      std::conditional_t<Bytes == 1, uint8_t, std::conditional_t<Bytes == 2, uint16_t, uint32_t>>;
  Word words[Bytes / sizeof(Word)];
};

template <int Bytes, int Side>
struct Square {
  Pack<Bytes * Side> row[Side];

  // By renaming of words, and by byte permutes of smaller elements.
  __device__ __forceinline__ Square transposed() const {
    using Word = typename Pack<Bytes * Side>::Word;
    constexpr int kWords = sizeof(row[0]) / sizeof(Word);
    Square cols;
#pragma unroll
    for (int col = 0; col < Side; ++col)
#pragma unroll
      for (int w = 0; w < kWords; ++w) {
        if constexpr (Side == 1) {
          cols.row[0].words[w] = row[0].words[w];
        } else if constexpr (Bytes >= 4) {
          constexpr int kOfElement = Bytes / 4;
          cols.row[col].words[w] = row[w / kOfElement].words[col * kOfElement + w % kOfElement];
        } else if constexpr (Bytes == 2) {
          cols.row[col].words[w] =
              __byte_perm(row[2 * w].words[col / 2], row[2 * w + 1].words[col / 2],
                          col % 2 == 0 ? 0x5410 : 0x7632);
        } else {
          constexpr int kElements = sizeof(Word);  // of a word
          const unsigned select = col % kElements | (4 + col % kElements) << 4;
          const auto pair = [&](int first) {
            return __byte_perm(row[first].words[col / kElements],
                               row[first + 1].words[col / kElements], select);
          };
          if constexpr (kElements == 2)
            cols.row[col].words[w] = static_cast<Word>(pair(0));
          else
            cols.row[col].words[w] = __byte_perm(pair(4 * w), pair((4 * w + 2) % Side), 0x5410);
        }
      }
    return cols;
  }
};

// Elements side by side in one access.
template <int Bytes, int Count>
__device__ __forceinline__ Pack<Bytes * Count> joined(const Pack<Bytes> (&elements)[Count]) {
  Pack<Bytes * Count> pack;
  if constexpr (Count == 1) {
    pack = elements[0];
  } else if constexpr (Bytes == 2) {
    static_assert(Count == 2);
    pack.words[0] = __byte_perm(elements[0].words[0], elements[1].words[0], 0x5410);
  } else {
    static_assert(Bytes == 1 && Count == 4);
    pack.words[0] =
        __byte_perm(__byte_perm(elements[0].words[0], elements[1].words[0], 0x0040),
                    __byte_perm(elements[2].words[0], elements[3].words[0], 0x0040), 0x5410);
  }
  return pack;
}

}  // namespace xpose::kernels
