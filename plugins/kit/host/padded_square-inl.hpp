// Squares of units whose bytes are no power of two, padded in registers; and parts of vectors,
// which squares of few elements are moved by as well.
//
// Included once for each target of Highway, as register_tile-inl.hpp is.
#include <algorithm>
#include <bit>
#include <cstring>

#include "register_tile-inl.hpp"

#if defined(XPOSE_KIT_PADDED_SQUARE) == defined(HWY_TARGET_TOGGLE)
#ifdef XPOSE_KIT_PADDED_SQUARE
#undef XPOSE_KIT_PADDED_SQUARE
#else
#define XPOSE_KIT_PADDED_SQUARE
#endif

HWY_BEFORE_NAMESPACE();
namespace host {
namespace HWY_NAMESPACE {

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

// A vector of 16-byte blocks, from at(First), at(First + Step), and so on; and one of its blocks.
template <int First, int Step, class D, class At>
HWY_INLINE hn::Vec<D> load_blocks(D d, const At& at) {
  if constexpr (hn::MaxLanes(D()) == 16) {
    return hn::LoadU(d, at(First));
  } else {
    const hn::Half<D> half;
    constexpr int kUpper = First + static_cast<int>(hn::MaxLanes(D())) / 32 * Step;
    return hn::Combine(d, load_blocks<kUpper, Step>(half, at), load_blocks<First, Step>(half, at));
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
// in_at(r) and out_at(c) are where row r of a square begins in the input, and column c in the
// output. A row's loads are of 16 bytes.
template <int Padded>
class PaddedSquare {
 public:
  static constexpr int kSide = 16 / Padded;
  static constexpr int kSeveral =
      kBlocks * kSide;  // rows of as many squares as a vector has blocks

  explicit PaddedSquare(int64_t unit) : unit_(unit), bytes_(kSide * unit), last_(bytes_ - 8) {
    for (int64_t i = 0; i < 16; ++i) {
      const int64_t from = i / Padded * unit + i % Padded;
      spread_[i] = static_cast<uint8_t>(from);
      spread_late_[i] = static_cast<uint8_t>(std::min<int64_t>(from + 16 - bytes_, 15));
      pack_[i] = padded(std::min(i, bytes_ - 1));
      pack_last_[i] = padded(std::min(last_ + i, bytes_ - 1));
    }
  }

  // Behind a square's first column rows have `left` bytes: with less than 16, loads end with the
  // square. They begin so many bytes before it.
  struct Loads {
    int64_t before;
    const uint8_t* spread;
  };
  HWY_INLINE Loads loads(int64_t left) const {
    if (left < 16) return {16 - bytes_, spread_late_};
    return {0, spread_};
  }

  // Nothing is written behind the square's rows.
  template <class InAt, class OutAt>
  HWY_INLINE void transpose(const Loads& loads, const InAt& in_at, const OutAt& out_at) const {
    const auto spread = hn::Load(Block(), loads.spread);
    const hn::Repartition<typename UintOf<Padded>::type, Block> lanes;
    using Lane = decltype(hn::Zero(lanes));
    Lane v[kSide];
    unroll<kSide>([&](auto r) XPOSE_INLINE {
      const auto units = hn::LoadU(Block(), in_at(r) - loads.before);
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
    unroll<kSide>([&](auto c)
                      XPOSE_INLINE { store_exactly(hn::BitCast(Block(), v[c]), out_at(c)); });
  }

  // kSeveral rows. Spills: up to 16 bytes may be written behind each column.
  template <bool Spills, class InAt, class OutAt>
  HWY_INLINE void transpose_several(const Loads& loads, const InAt& in_at,
                                    const OutAt& out_at) const {
    const auto spread = hn::LoadDup128(Bytes(), loads.spread);
    const auto pack = hn::LoadDup128(Bytes(), pack_);
    const int64_t bytes = bytes_, before = loads.before;  // what is stored may be anybody's
    Vector v[kSide];
    unroll<kSide>([&](auto r) XPOSE_INLINE {
      const auto units =
          load_blocks<r, kSide>(Bytes(), [&](int row) XPOSE_INLINE { return in_at(row) - before; });
      v[r] = hn::TableLookupBytes(units, spread);
    });
    transpose_in_blocks<Padded>(v);
    unroll<kSide>([&](auto c) XPOSE_INLINE {
      constexpr int kSpilling = Spills ? kBlocks : kBlocks - 1;
      uint8_t* const to = out_at(c);
      const Vector units = hn::TableLookupBytes(v[c], pack);
      // Each square ends with bytes that the next one writes.
      unroll<kSpilling>([&](auto i) XPOSE_INLINE {
        hn::StoreU(block_of<i>(Bytes(), units), Block(), to + i * bytes);
      });
      if constexpr (!Spills)
        store_exactly(block_of<kBlocks - 1>(Bytes(), v[c]), to + (kBlocks - 1) * bytes);
    });
  }

 private:
  uint8_t padded(int64_t at) const {
    return static_cast<uint8_t>(at / unit_ * Padded + at % unit_);
  }

  HWY_INLINE void store_exactly(hn::Vec<Block> units, uint8_t* to) const {
    store_part<8>(hn::TableLookupBytes(units, hn::Load(Block(), pack_)), to);
    store_part<8>(hn::TableLookupBytes(units, hn::Load(Block(), pack_last_)), to + last_);
  }

  int64_t unit_, bytes_, last_;  // bytes: of a row of a square; last: where its last 8 begin
  // Bytes of a load that padded units have, of one that ends with the last of them, and bytes of
  // padded units that the output has from its begin and from its last 8 on.
  alignas(16) uint8_t spread_[16], spread_late_[16], pack_[16], pack_last_[16];
};

}  // namespace HWY_NAMESPACE
}  // namespace host
HWY_AFTER_NAMESPACE();

#endif
