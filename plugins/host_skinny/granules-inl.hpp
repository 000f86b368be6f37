// Squares of elements whose rows are 16 bytes, granules, transposed in vector registers by rounds
// of the perfect shuffle (Eklundh 1972), as many of them at once as a vector has 16-byte blocks.
// Which side the blocks follow each other on decides which accesses are whole vectors: the stores
// where they stand one above the other (tall), the loads where they stand side by side (wide). That
// needs no exchange of blocks, and one side may be as short as it likes.
//
// Included once for each target of Highway: no #pragma once, and a guard that toggles.
#include <hwy/highway.h>

#include <algorithm>
#include <bit>

#include "../kit/host/lines-inl.hpp"
#include "../kit/host/register_tile-inl.hpp"

#if defined(XPOSE_HOST_SKINNY_GRANULES) == defined(HWY_TARGET_TOGGLE)
#ifdef XPOSE_HOST_SKINNY_GRANULES
#undef XPOSE_HOST_SKINNY_GRANULES
#else
#define XPOSE_HOST_SKINNY_GRANULES
#endif

// One copy of a granule's code a compilation where sanitizers make it long: minutes of the
// compiler.
#ifndef XPOSE_GRANULE
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define XPOSE_GRANULE HWY_NOINLINE
#else
#define XPOSE_GRANULE HWY_INLINE
#endif
#endif

HWY_BEFORE_NAMESPACE();
namespace host_skinny {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using namespace host::HWY_NAMESPACE;

using Block = hn::FixedTag<uint8_t, 16>;

template <class D>
inline constexpr int kBlocksOf = static_cast<int>(sizeof(hn::Vec<D>) / 16);

// A vector of 16-byte blocks that stand `step` bytes from each other in memory.
template <class D>
HWY_INLINE hn::Vec<D> gather_blocks(D d, const uint8_t* from, ptrdiff_t step) {
  if constexpr (kBlocksOf<D> == 1) {
    return hn::LoadU(d, from);
  } else {
    const hn::Half<D> half;
    return hn::Combine(d, gather_blocks(half, from + kBlocksOf<D> / 2 * step, step),
                       gather_blocks(half, from, step));
  }
}

template <int I, class D>
HWY_INLINE hn::Vec<Block> block_of(D d, hn::Vec<D> v) {
  if constexpr (kBlocksOf<D> == 1) {
    return v;
  } else {
    constexpr int kHalf = kBlocksOf<D> / 2;
    const hn::Half<D> half;
    if constexpr (I < kHalf)
      return block_of<I>(half, hn::LowerHalf(half, v));
    else
      return block_of<I - kHalf>(half, hn::UpperHalf(half, v));
  }
}

// Transposes, in every block, the granule of rows v[0], v[1], ... (row, element).
template <int Size, class D>
HWY_INLINE void transpose_granules(D d, hn::Vec<D>* v) {
  constexpr int kRows = 16 / Size;
  constexpr int kRounds = 4 - std::countr_zero(unsigned{Size});
  const hn::Repartition<typename UintOf<Size>::type, D> lanes;
  unroll<kRounds>([&](auto) XPOSE_INLINE {
    hn::Vec<D> t[kRows];
    unroll<kRows / 2>([&](auto i) XPOSE_INLINE {
      const auto x = hn::BitCast(lanes, v[i]), y = hn::BitCast(lanes, v[i + kRows / 2]);
      t[2 * i] = hn::BitCast(d, hn::InterleaveLower(lanes, x, y));
      t[2 * i + 1] = hn::BitCast(d, hn::InterleaveUpper(lanes, x, y));
    });
    unroll<kRows>([&](auto i) XPOSE_INLINE { v[i] = t[i]; });
  });
}

// Granules one above the other: kVector / Size rows of 16 bytes. Stores the columns [first, end),
// or All of them.
template <int Size, bool Streams, bool All = false>
XPOSE_GRANULE void transpose_tall(const uint8_t* in, ptrdiff_t in_pitch, uint8_t* out,
                                  ptrdiff_t out_pitch, int64_t first, int64_t end) {
  constexpr int kSide = 16 / Size;
  Vector v[kSide];
  unroll<kSide>([&](auto r) XPOSE_INLINE {
    v[r] = gather_blocks(Bytes(), in + r * in_pitch, kSide * in_pitch);
  });
  transpose_granules<Size>(Bytes(), v);
  unroll<kSide>([&](auto c) XPOSE_INLINE {
    if (!All && (c < first || c >= end)) return;
    if constexpr (Streams)
      hn::Stream(v[c], Bytes(), out + c * out_pitch);
    else
      hn::StoreU(v[c], Bytes(), out + c * out_pitch);
  });
}

// Granules side by side: `rows` rows of a vector, as many as a granule has or fewer. Stores 16
// bytes to each output row, in their order, so that the next row overwrites what is too much.
template <int Size>
XPOSE_GRANULE void transpose_wide(const uint8_t* in, ptrdiff_t in_pitch, int64_t rows, uint8_t* out,
                                  ptrdiff_t out_pitch) {
  constexpr int kSide = 16 / Size;
  Vector v[kSide];
  unroll<kSide>([&](auto r) XPOSE_INLINE {
    v[r] = hn::LoadU(Bytes(), in + std::min<int64_t>(r, rows - 1) * in_pitch);
  });
  transpose_granules<Size>(Bytes(), v);
  unroll<kBlocks>([&](auto block) XPOSE_INLINE {
    unroll<kSide>([&](auto c) XPOSE_INLINE {
      hn::StoreU(block_of<block>(Bytes(), v[c]), Block(), out + (block * kSide + c) * out_pitch);
    });
  });
}

// One granule, or the first of its rows and columns; it reads 16 bytes of each row all the same.
template <int Size>
XPOSE_GRANULE void transpose_one(const uint8_t* in, ptrdiff_t in_pitch, int64_t rows, uint8_t* out,
                                 ptrdiff_t out_pitch, int64_t cols) {
  constexpr int kSide = 16 / Size;
  hn::Vec<Block> v[kSide];
  unroll<kSide>([&](auto r) XPOSE_INLINE {
    v[r] = hn::LoadU(Block(), in + std::min<int64_t>(r, rows - 1) * in_pitch);
  });
  transpose_granules<Size>(Block(), v);
  unroll<kSide>([&](auto c) XPOSE_INLINE {
    if (c < cols) hn::StoreU(v[c], Block(), out + c * out_pitch);
  });
}

// Calls body(begin) for tiles that cover `extent`; the last is moved back to end with it, and where
// the extent is less than a tile there is one.
template <class Body>
HWY_INLINE void for_tiles(int64_t extent, int64_t tile, const Body& body) {
  int64_t begin = 0;
  for (; begin + tile < extent; begin += tile) body(begin);
  body(std::max<int64_t>(0, extent - tile));
}

// A matrix of any sides: (rows, cols) to (cols, rows). Reads up to 15 bytes more than rows shorter
// than a granule's have, and writes as many behind the last output row where those are.
template <int Size>
HWY_NOINLINE void transpose_small(const uint8_t* in, ptrdiff_t in_pitch, int64_t rows, int64_t cols,
                                  uint8_t* out, ptrdiff_t out_pitch) {
  constexpr int64_t kSide = 16 / Size, kLong = kVector / Size;
  const int64_t high = std::min(rows, kSide), wide = std::min(cols, kSide);
  constexpr int64_t kTile = kLine / Size;
  if constexpr (Size < 4) {
    if (rows >= kTile && cols >= kTile) {
      for_tiles(cols, kTile, [&](int64_t c) XPOSE_INLINE {
        for_tiles(rows, kTile, [&](int64_t r) XPOSE_INLINE {
          transpose_tile_to<Size>(in + r * in_pitch + c * Size, in_pitch,
                                  out + c * out_pitch + r * Size, out_pitch);
        });
      });
      return;
    }
  }
  if (rows >= kLong) {
    for_tiles(rows, kLong, [&](int64_t r) XPOSE_INLINE {
      for_tiles(cols, kSide, [&](int64_t c) XPOSE_INLINE {
        transpose_tall<Size, false>(in + r * in_pitch + c * Size, in_pitch,
                                    out + c * out_pitch + r * Size, out_pitch, 0, wide);
      });
    });
  } else if (cols >= kLong) {
    for_tiles(cols, kLong, [&](int64_t c) XPOSE_INLINE {
      for_tiles(rows, kSide, [&](int64_t r) XPOSE_INLINE {
        transpose_wide<Size>(in + r * in_pitch + c * Size, in_pitch, high,
                             out + c * out_pitch + r * Size, out_pitch);
      });
    });
  } else {
    for_tiles(cols, kSide, [&](int64_t c) XPOSE_INLINE {
      for_tiles(rows, kSide, [&](int64_t r) XPOSE_INLINE {
        transpose_one<Size>(in + r * in_pitch + c * Size, in_pitch, high,
                            out + c * out_pitch + r * Size, out_pitch, wide);
      });
    });
  }
}

// Any number of bytes, and no other.
HWY_INLINE void copy_bytes(const uint8_t* from, uint8_t* to, int64_t bytes) {
  const auto both_ends = [&](auto word) XPOSE_INLINE {
    constexpr int64_t kWord = sizeof word;
    auto last = word;
    std::memcpy(&word, from, kWord);
    std::memcpy(&last, from + bytes - kWord, kWord);
    std::memcpy(to, &word, kWord);
    std::memcpy(to + bytes - kWord, &last, kWord);
  };
  if (bytes >= 16)
    for_tiles(bytes, 16, [&](int64_t at) XPOSE_INLINE {
      hn::StoreU(hn::LoadU(Block(), from + at), Block(), to + at);
    });
  else if (bytes >= 8)
    both_ends(uint64_t{});
  else if (bytes >= 4)
    both_ends(uint32_t{});
  else if (bytes >= 2)
    both_ends(uint16_t{});
  else if (bytes == 1)
    *to = *from;
}

// Rows of some bytes, one behind the other or `to_pitch` apart.
inline void copy_rows(const uint8_t* from, ptrdiff_t from_pitch, uint8_t* to, ptrdiff_t to_pitch,
                      int64_t rows, int64_t bytes) {
  for (int64_t r = 0; r < rows; ++r) copy_bytes(from + r * from_pitch, to + r * to_pitch, bytes);
}

// How far ahead of a linear walk lines are asked for, in bytes, by the level of the cache. Into the
// second level this distance serves staged and direct walks alike (NOTES.md).
constexpr int64_t lead_bytes(int level) { return level == 1 ? 8 * 1024 : 4 * 1024; }

// Asks for rows that a linear walk comes to later, into the cache of a level. Harmless beyond the
// end.
HWY_INLINE void ask_for_rows(const uint8_t* row, ptrdiff_t pitch, int64_t rows, int64_t bytes,
                             int level) {
  if (pitch <= 2 * kLine) {
    for (int64_t at = 0; at < rows * pitch; at += kLine) ask_for(row + at, level);
  } else {
    for (int64_t r = 0; r < rows; ++r, row += pitch)
      for_tiles(bytes, kLine, [&](int64_t at) XPOSE_INLINE { ask_for(row + at, level); });
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace host_skinny
HWY_AFTER_NAMESPACE();

#endif
