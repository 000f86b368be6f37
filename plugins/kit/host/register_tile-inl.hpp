// A square tile of one 64-byte line a side, transposed in vector registers: 64 / size elements of
// 1, 2, 4, 8 or 16 bytes a side, so that every memory access reads or writes a whole line.
//
// The tile is cut into squares of one vector a side. In each, elements are first transposed within
// the 16-byte blocks of the vectors, by log2(16 / size) rounds of the perfect shuffle (interleave
// row i with row i + n / 2), then the blocks are. The rounds are the classic recursion of Eklundh
// (1972); that interleaving within 16-byte blocks and one exchange of blocks is cheapest on every
// width of vector is how Highway's own operations are cut.
//
// Included once for each target of Highway: no #pragma once, and a guard that toggles.
#include <hwy/highway.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#if defined(XPOSE_KIT_REGISTER_TILE) == defined(HWY_TARGET_TOGGLE)
#ifdef XPOSE_KIT_REGISTER_TILE
#undef XPOSE_KIT_REGISTER_TILE
#else
#define XPOSE_KIT_REGISTER_TILE
#endif

#ifndef XPOSE_INLINE
#define XPOSE_INLINE __attribute__((always_inline))
#endif

HWY_BEFORE_NAMESPACE();
namespace host {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

inline constexpr int kLine = 64;  // bytes

template <int Bytes>
struct UintOf;
template <>
struct UintOf<1> {
  using type = uint8_t;
};
template <>
struct UintOf<2> {
  using type = uint16_t;
};
template <>
struct UintOf<4> {
  using type = uint32_t;
};
template <>
struct UintOf<8> {
  using type = uint64_t;
};
template <>
struct UintOf<16> {
  using type = uint64_t;  // only ever moved as 16-byte blocks
};

// The widest vector of the target, of at most a line.
using Bytes = hn::CappedTag<uint8_t, kLine>;
using Vector = hn::Vec<Bytes>;
inline constexpr int kVector =
    static_cast<int>(HWY_LANES(uint8_t)) < kLine ? HWY_LANES(uint8_t) : kLine;
inline constexpr int kBlocks = kVector / 16;

template <int Size>
using Lanes = hn::Repartition<typename UintOf<Size>::type, Bytes>;

// One round of the perfect shuffle: every 16-byte block of lower and upper gets elements of a and b
// alternately.
template <int Size>
HWY_INLINE void interleave(Vector a, Vector b, Vector& lower, Vector& upper) {
  const Lanes<Size> lanes;
  const auto x = hn::BitCast(lanes, a), y = hn::BitCast(lanes, b);
  lower = hn::BitCast(Bytes(), hn::InterleaveLower(lanes, x, y));
  upper = hn::BitCast(Bytes(), hn::InterleaveUpper(lanes, x, y));
}

// Calls body(i) for every i < Count, as constants: vectors indexed by them stay in registers at any
// -O level.
template <int Count, class Body>
HWY_INLINE void unroll(const Body& body) {
  [&]<int... I>(std::integer_sequence<int, I...>) XPOSE_INLINE {
    (body(std::integral_constant<int, I>()), ...);
  }
  (std::make_integer_sequence<int, Count>());
}

// Transposes, in every 16-byte block, the square of 16 / Size rows v[0], v[1], ... (row, element).
template <int Size>
HWY_INLINE void transpose_in_blocks(Vector* v) {
  constexpr int kRows = 16 / Size;
  constexpr int kRounds = 4 - std::countr_zero(unsigned{Size});
  unroll<kRounds>([&](auto) XPOSE_INLINE {
    Vector t[kRows];
    unroll<kRows / 2>([&](auto i) XPOSE_INLINE {
      interleave<Size>(v[i], v[i + kRows / 2], t[2 * i], t[2 * i + 1]);
    });
    unroll<kRows>([&](auto i) XPOSE_INLINE { v[i] = t[i]; });
  });
}

// Transposes the square of kBlocks vectors v[0], v[Step], ... of kBlocks 16-byte blocks: (vector,
// block).
template <int Step>
HWY_INLINE void transpose_blocks([[maybe_unused]] Vector* v) {
#if HWY_TARGET == HWY_AVX3
  constexpr int kEven = 0x88, kOdd = 0xdd;  // blocks 0 and 2, or 1 and 3, of both operands
  const __m512i a = v[0].raw, b = v[Step].raw, c = v[2 * Step].raw, d = v[3 * Step].raw;
  const __m512i ab_even = _mm512_shuffle_i32x4(a, b, kEven),
                ab_odd = _mm512_shuffle_i32x4(a, b, kOdd);
  const __m512i cd_even = _mm512_shuffle_i32x4(c, d, kEven),
                cd_odd = _mm512_shuffle_i32x4(c, d, kOdd);
  v[0].raw = _mm512_shuffle_i32x4(ab_even, cd_even, kEven);
  v[Step].raw = _mm512_shuffle_i32x4(ab_odd, cd_odd, kEven);
  v[2 * Step].raw = _mm512_shuffle_i32x4(ab_even, cd_even, kOdd);
  v[3 * Step].raw = _mm512_shuffle_i32x4(ab_odd, cd_odd, kOdd);
#elif HWY_TARGET == HWY_AVX2
  const Vector a = v[0], b = v[Step];
  v[0] = hn::ConcatLowerLower(Bytes(), b, a);
  v[Step] = hn::ConcatUpperUpper(Bytes(), b, a);
#else
  static_assert(kBlocks == 1, "vectors of several blocks need an exchange of blocks here");
#endif
}

// Transposes a tile of kLine / Size rows at in, in_pitch bytes apart, at any addresses. store(c,
// part, v) takes vector `part` of output row c. step() is called kLine / Size times, evenly between
// the loads and the shuffles: prefetches that come all at once wait for each other.
template <int Size, class Store, class Step>
HWY_INLINE void transpose_tile(const uint8_t* HWY_RESTRICT in, ptrdiff_t in_pitch,
                               const Store& store, const Step& step) {
  constexpr int kSide = kVector / Size;      // rows and columns of a square
  constexpr int kSquares = kLine / kVector;  // squares a side of the tile
  constexpr int kRows = 16 / Size;           // rows and columns of a 16-byte block
  constexpr int kEvery = 2 * kSquares;       // loads and stores from one step to the next
  for (int square = 0; square < kSquares * kSquares; ++square) {
    const int i = square / kSquares, j = square % kSquares;  // row and column of the square
    const uint8_t* const from = in + i * kSide * in_pitch + j * kVector;
    const auto count = [&](int event) XPOSE_INLINE {
      if ((2 * square * kSide + event) % kEvery == 0) step();
    };
    Vector v[kSide];  // (row), at last (column % kRows + kRows * block)
    unroll<kBlocks>([&](auto block) XPOSE_INLINE {
      unroll<kRows>([&](auto r) XPOSE_INLINE {
        constexpr int kRow = block * kRows + r;
        v[kRow] = hn::LoadU(Bytes(), from + kRow * in_pitch);
        count(kRow);
      });
      transpose_in_blocks<Size>(v + block * kRows);
    });
    unroll<kRows>([&](auto r) XPOSE_INLINE {
      transpose_blocks<kRows>(v + r);
      unroll<kBlocks>([&](auto block) XPOSE_INLINE {
        constexpr int kColumn = block * kRows + r;
        store(j * kSide + kColumn, i, v[kColumn]);
        count(kSide + r * kBlocks + block);
      });
    });
  }
}

// The same from any address to any address, out_pitch bytes from one output row to the next.
template <int Size>
HWY_NOINLINE void transpose_tile_to(const uint8_t* HWY_RESTRICT in, ptrdiff_t in_pitch,
                                    uint8_t* HWY_RESTRICT out, ptrdiff_t out_pitch) {
  transpose_tile<Size>(
      in, in_pitch,
      [&](int c, int part, Vector v)
          XPOSE_INLINE { hn::StoreU(v, Bytes(), out + c * out_pitch + part * kVector); },
      []() XPOSE_INLINE {});
}

}  // namespace HWY_NAMESPACE
}  // namespace host
HWY_AFTER_NAMESPACE();

#endif
