// Transposes in registers: a granule is the square of elements whose rows are 16 bytes, 16x16 of 1
// byte to 1x1 of 16. Each of log2(side) stages interleaves row i with row i + side / 2, which
// rotates the bits of an element's position by one; after the last, row and column have changed
// places ("Hacker's Delight", perfect shuffles). Every x86-64 and ARMv8 has 16-byte vectors, and a
// transpose from memory needs no wider ones.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

namespace host {

using Byte = unsigned char;

// body(0), body(1), ... without a loop, at every level of optimisation: a granule's rows stay in
// registers only where their indices are constants, and -O2 does not unroll the loops.
template <int Count, class Body>
[[gnu::always_inline]] inline void unrolled(const Body& body) {
  [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
    (body(std::integral_constant<int, I>{}), ...);
  }
  (std::make_integer_sequence<int, Count>{});
}

template <int Bytes>
struct Granule {
  using Lane = std::conditional_t<
      Bytes == 1, uint8_t,
      std::conditional_t<Bytes == 2, uint16_t, std::conditional_t<Bytes == 4, uint32_t, uint64_t>>>;
  typedef Lane Vector __attribute__((vector_size(16)));
  static constexpr int kSide = 16 / Bytes;  // elements
  static constexpr int kLanes = 16 / int{sizeof(Lane)};
  using Lanes = std::make_integer_sequence<int, kLanes>;

  // The lower (First = 0) or upper halves of a and b, lane by lane in turn.
  template <int First, int... I>
  static Vector interleave(Vector a, Vector b, std::integer_sequence<int, I...>) {
    return __builtin_shufflevector(a, b, (First + I / 2 + I % 2 * kLanes)...);
  }

  // in and out may be one place: all rows are read before one is written. Pitches in bytes.
  static void transpose(const Byte* in, ptrdiff_t in_pitch, Byte* out, ptrdiff_t out_pitch) {
    Vector row[kSide];
    unrolled<kSide>([&](auto i) __attribute__((always_inline)) {
      std::memcpy(&row[i], in + i * in_pitch, 16);
    });
    unrolled<std::bit_width(unsigned{kSide}) - 1>([&](auto) __attribute__((always_inline)) {
      Vector mixed[kSide];
      unrolled<kSide / 2>([&](auto i) __attribute__((always_inline)) {
        mixed[2 * i] = interleave<0>(row[i], row[i + kSide / 2], Lanes{});
        mixed[2 * i + 1] = interleave<kLanes / 2>(row[i], row[i + kSide / 2], Lanes{});
      });
      unrolled<kSide>([&](auto i) __attribute__((always_inline)) { row[i] = mixed[i]; });
    });
    unrolled<kSide>([&](auto i) __attribute__((always_inline)) {
      std::memcpy(out + i * out_pitch, &row[i], 16);
    });
  }
};

}  // namespace host
