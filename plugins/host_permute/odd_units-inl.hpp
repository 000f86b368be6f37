// Units whose bytes are no power of two: squares of them padded in registers, or moves that the
// next unit overlaps. Parts of a vector, which squares of few elements are moved by as well.
//
// Included once for each target of Highway, as register_tile-inl.hpp is.
#include <algorithm>
#include <bit>
#include <cstring>

#include "../kit/host/register_tile-inl.hpp"
#include "kernels.hpp"

#if defined(XPOSE_HOST_PERMUTE_ODD_UNITS) == defined(HWY_TARGET_TOGGLE)
#ifdef XPOSE_HOST_PERMUTE_ODD_UNITS
#undef XPOSE_HOST_PERMUTE_ODD_UNITS
#else
#define XPOSE_HOST_PERMUTE_ODD_UNITS
#endif

HWY_BEFORE_NAMESPACE();
namespace host_permute {
namespace HWY_NAMESPACE {

using namespace host::HWY_NAMESPACE;

using Block = hn::CappedTag<uint8_t, 16>;

// `Count` bytes, at most 16, in the low part of a vector; anything in the rest.
template <int Count>
HWY_INLINE hn::Vec<Block> load_part(const uint8_t* from) {
  if constexpr (Count == 16) {
    return hn::LoadU(Block(), from);
  } else {
    using Part = typename UintOf<Count>::type;
    Part part;
    std::memcpy(&part, from, Count);
    return hn::BitCast(Block(), hn::Set(hn::Repartition<Part, Block>(), part));
  }
}
template <int Count>
HWY_INLINE void store_part(hn::Vec<Block> v, uint8_t* to) {
  if constexpr (Count == 16) {
    hn::StoreU(v, Block(), to);
  } else {
    using Part = typename UintOf<Count>::type;
    const Part part = hn::GetLane(hn::BitCast(hn::Repartition<Part, Block>(), v));
    std::memcpy(to, &part, Count);
  }
}

// Units of Count to 2 * Count bytes, twice Count at once: those of the next row are written later.
// Where the input or the output ends with a unit, as its first and its last Count.
template <int Count>
void transpose_units(const Blocks& blocks, int64_t unit) {
  const Blocks b = blocks;
  const int64_t last = unit - Count;
  for (int64_t piece = 0; piece < b.count; ++piece)
    for (int64_t c = 0; c < b.cols; ++c) {
      const uint8_t* HWY_RESTRICT const in = b.in + b.pieces[piece].in + c * unit;
      uint8_t* HWY_RESTRICT out = b.out + b.pieces[piece].out + b.col_out[c];
      int64_t r = 0;
      if (c + 1 < b.cols)
        for (; r + 1 < b.rows; ++r, out += unit) std::memcpy(out, in + b.row_in[r], 2 * Count);
      for (; r < b.rows; ++r, out += unit) {
        const uint8_t* const from = in + b.row_in[r];
        std::memcpy(out, from, Count);
        std::memcpy(out + last, from + last, Count);
      }
    }
}

// A vector of 16-byte blocks from so many places, `step` of them apart, and one of its blocks.
template <class D>
HWY_INLINE hn::Vec<D> load_blocks(D d, const uint8_t* from, const int64_t* places, int step) {
  if constexpr (hn::MaxLanes(D()) == 16) {
    return hn::LoadU(d, from + *places);
  } else {
    const hn::Half<D> half;
    constexpr int kHalf = static_cast<int>(hn::MaxLanes(D())) / 32;
    return hn::Combine(d, load_blocks(half, from, places + kHalf * step, step),
                       load_blocks(half, from, places, step));
  }
}
template <int Index, class D>
HWY_INLINE hn::Vec<Block> block_of(D, hn::Vec<D> v) {
  if constexpr (hn::MaxLanes(D()) == 16) {
    return v;
  } else {
    const hn::Half<D> half;
    constexpr int kHalf = static_cast<int>(hn::MaxLanes(D())) / 32;
    if constexpr (Index < kHalf)
      return block_of<Index>(half, hn::LowerHalf(half, v));
    else
      return block_of<Index - kHalf>(half, hn::UpperHalf(half, v));
  }
}

// Squares of units of 3, or 5 to 7 bytes, which Padded bytes hold: as many as 16 bytes hold padded.
// A row's loads are of 16 bytes too, within the row.
template <int Padded>
class PaddedSquare {
 public:
  static constexpr int kSide = 16 / Padded;

  explicit PaddedSquare(int64_t unit) : unit_(unit), bytes_(kSide * unit), last_(bytes_ - 8) {
    for (int64_t i = 0; i < 16; ++i) {
      const int64_t from = i / Padded * unit + i % Padded;
      spread_[i] = static_cast<uint8_t>(from);
      spread_late_[i] = static_cast<uint8_t>(std::min<int64_t>(from + 16 - bytes_, 15));
      pack_[i] = padded(std::min(i, bytes_ - 1));
      pack_last_[i] = padded(std::min(last_ + i, bytes_ - 1));
    }
  }

  bool fits(const Blocks& b) const { return b.rows >= kSide && b.cols * unit_ >= 16; }

  HWY_INLINE void transpose(const Blocks& b, const uint8_t* HWY_RESTRICT in, int64_t row,
                            int64_t col, uint8_t* HWY_RESTRICT out) const {
    const Source source = source_of(b, in, col);
    const auto spread = hn::Load(Block(), source.spread);
    const hn::Repartition<typename UintOf<Padded>::type, Block> lanes;
    using Lane = decltype(hn::Zero(lanes));
    Lane v[kSide];
    unroll<kSide>([&](auto r) XPOSE_INLINE {
      const auto units = hn::LoadU(Block(), source.from + b.row_in[row + r]);
      v[r] = hn::BitCast(lanes, hn::TableLookupBytes(units, spread));
    });
    unroll<std::countr_zero(unsigned{kSide})>([&](auto) XPOSE_INLINE {
      Lane t[kSide];
      unroll<kSide / 2>([&](auto i) XPOSE_INLINE {
        t[2 * i] = hn::InterleaveLower(lanes, v[i], v[i + kSide / 2]);
        t[2 * i + 1] = hn::InterleaveUpper(lanes, v[i], v[i + kSide / 2]);
      });
      unroll<kSide>([&](auto r) XPOSE_INLINE { v[r] = t[r]; });
    });
    unroll<kSide>([&](auto c) XPOSE_INLINE {
      store_last(hn::BitCast(Block(), v[c]), out + b.col_out[col + c] + row * unit_);
    });
  }

  // As many squares, one below the other, as a vector has blocks.
  HWY_INLINE void transpose_several(const Blocks& b, const uint8_t* HWY_RESTRICT in, int64_t row,
                                    int64_t col, uint8_t* HWY_RESTRICT out) const {
    const Source source = source_of(b, in, col);
    const auto spread = hn::LoadDup128(Bytes(), source.spread);
    const auto pack = hn::LoadDup128(Bytes(), pack_);
    Vector v[kSide];
    unroll<kSide>([&](auto r) XPOSE_INLINE {
      v[r] = hn::TableLookupBytes(load_blocks(Bytes(), source.from, b.row_in + row + r, kSide),
                                  spread);
    });
    transpose_in_blocks<Padded>(v);
    unroll<kSide>([&](auto c) XPOSE_INLINE {
      uint8_t* const to = out + b.col_out[col + c] + row * unit_;
      const Vector units = hn::TableLookupBytes(v[c], pack);
      // Each square ends with bytes that the next one writes.
      unroll<kBlocks - 1>([&](auto i) XPOSE_INLINE {
        hn::StoreU(block_of<i>(Bytes(), units), Block(), to + i * bytes_);
      });
      store_last(block_of<kBlocks - 1>(Bytes(), v[c]), to + (kBlocks - 1) * bytes_);
    });
  }

 private:
  // Where the loads of some columns begin in their rows, and their bytes as padded units. The last
  // loads of a row end with it.
  struct Source {
    const uint8_t* from;
    const uint8_t* spread;
  };

  HWY_INLINE Source source_of(const Blocks& b, const uint8_t* in, int64_t col) const {
    if ((b.cols - col) * unit_ < 16) return {in + (col + kSide) * unit_ - 16, spread_late_};
    return {in + col * unit_, spread_};
  }

  uint8_t padded(int64_t at) const {
    return static_cast<uint8_t>(at / unit_ * Padded + at % unit_);
  }

  // Padded units that nothing is written behind.
  HWY_INLINE void store_last(hn::Vec<Block> units, uint8_t* to) const {
    store_part<8>(hn::TableLookupBytes(units, hn::Load(Block(), pack_)), to);
    store_part<8>(hn::TableLookupBytes(units, hn::Load(Block(), pack_last_)), to + last_);
  }

  int64_t unit_, bytes_, last_;  // bytes: of a row of a square; last: where its last 8 begin
  // Bytes of a load that padded units have, of one that ends with the last of them, and bytes of
  // padded units that the output has from its begin and from its last 8 on.
  alignas(16) uint8_t spread_[16], spread_late_[16], pack_[16], pack_last_[16];
};

template <int Padded>
void transpose_padded(const Blocks& blocks, int64_t unit) {
  const Blocks b = blocks;
  const PaddedSquare<Padded> square(unit);
  constexpr int64_t kSide = PaddedSquare<Padded>::kSide, kSeveral = kBlocks * kSide;
  if (!square.fits(b)) return transpose_units<Padded / 2>(blocks, unit);
  for (int64_t piece = 0; piece < b.count; ++piece) {
    const uint8_t* const in = b.in + b.pieces[piece].in;
    uint8_t* const out = b.out + b.pieces[piece].out;
    int64_t r = 0;
    for (; r + kSeveral <= b.rows; r += kSeveral)
      for (int64_t c = 0; c < b.cols; c += kSide)
        square.transpose_several(b, in, r, std::min(c, b.cols - kSide), out);
    for (; r < b.rows; r += kSide)
      for (int64_t c = 0; c < b.cols; c += kSide)
        square.transpose(b, in, std::min(r, b.rows - kSide), std::min(c, b.cols - kSide), out);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace host_permute
HWY_AFTER_NAMESPACE();

#endif
