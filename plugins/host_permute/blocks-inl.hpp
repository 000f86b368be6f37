// Blocks of any shape from squares of a power of two elements a side: the last squares of a row or
// column lie over elements that are done.
//
// Included once for each target of Highway, as register_tile-inl.hpp is.
#include <algorithm>
#include <bit>
#include <cstring>

#include "../kit/host/lines-inl.hpp"
#include "../kit/host/register_tile-inl.hpp"
#include "kernels.hpp"

#if defined(XPOSE_HOST_PERMUTE_BLOCKS) == defined(HWY_TARGET_TOGGLE)
#ifdef XPOSE_HOST_PERMUTE_BLOCKS
#undef XPOSE_HOST_PERMUTE_BLOCKS
#else
#define XPOSE_HOST_PERMUTE_BLOCKS
#endif

HWY_BEFORE_NAMESPACE();
namespace host_permute {
namespace HWY_NAMESPACE {

using namespace host::HWY_NAMESPACE;

// A square of one vector a side, from the places of its rows to those of its columns.
template <int Size>
HWY_INLINE void wide_square(const uint8_t* HWY_RESTRICT in, const int64_t* HWY_RESTRICT row_in,
                            uint8_t* HWY_RESTRICT out, const int64_t* HWY_RESTRICT col_out) {
  constexpr int kRows = 16 / Size;
  Vector v[kBlocks * kRows];
  unroll<kBlocks>([&](auto block) XPOSE_INLINE {
    unroll<kRows>([&](auto r) XPOSE_INLINE {
      v[block * kRows + r] = hn::LoadU(Bytes(), in + row_in[block * kRows + r]);
    });
    transpose_in_blocks<Size>(v + block * kRows);
  });
  unroll<kRows>([&](auto r) XPOSE_INLINE {
    transpose_blocks<kRows>(v + r);
    unroll<kBlocks>([&](auto block) XPOSE_INLINE {
      hn::StoreU(v[block * kRows + r], Bytes(), out + col_out[block * kRows + r]);
    });
  });
}

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

// A square of Side elements a side, of at most 16 bytes.
template <int Size, int Side>
HWY_INLINE void small_square(const uint8_t* HWY_RESTRICT in, const int64_t* HWY_RESTRICT row_in,
                             uint8_t* HWY_RESTRICT out, const int64_t* HWY_RESTRICT col_out) {
  constexpr int kWidth = Size * Side;
  if constexpr (Side == 1) {
    std::memcpy(out + *col_out, in + *row_in, Size);
  } else {
    const hn::Repartition<typename UintOf<Size>::type, Block> lanes;
    hn::Vec<Block> v[Side], t[Side];
    unroll<Side>([&](auto r) XPOSE_INLINE { v[r] = load_part<kWidth>(in + row_in[r]); });
    unroll<std::countr_zero(unsigned{Side})>([&](auto) XPOSE_INLINE {
      unroll<Side / 2>([&](auto i) XPOSE_INLINE {
        const auto a = hn::BitCast(lanes, v[i]), b = hn::BitCast(lanes, v[i + Side / 2]);
        t[2 * i] = hn::BitCast(Block(), hn::InterleaveLower(lanes, a, b));
        if constexpr (kWidth == 16)
          t[2 * i + 1] = hn::BitCast(Block(), hn::InterleaveUpper(lanes, a, b));
        else
          t[2 * i + 1] = hn::ShiftRightBytes<kWidth>(Block(), t[2 * i]);
      });
      unroll<Side>([&](auto r) XPOSE_INLINE { v[r] = t[r]; });
    });
    unroll<Side>([&](auto c) XPOSE_INLINE { store_part<kWidth>(v[c], out + col_out[c]); });
  }
}

template <int Size, int Side>
HWY_INLINE void square(const uint8_t* HWY_RESTRICT in, const int64_t* HWY_RESTRICT row_in,
                       uint8_t* HWY_RESTRICT out, const int64_t* HWY_RESTRICT col_out) {
  if constexpr (Size * Side == kVector)
    wide_square<Size>(in, row_in, out, col_out);
  else
    small_square<Size, Side>(in, row_in, out, col_out);
}

// At least Side rows and columns.
template <int Size, int Side>
void transpose_squares(const Blocks& blocks) {
  const Blocks b = blocks;  // bytes that are stored may be anybody's, but not a local's
  for (int64_t piece = 0; piece < b.count; ++piece) {
    const uint8_t* const in = b.in + b.pieces[piece].in;
    uint8_t* const out = b.out + b.pieces[piece].out;
    for (int64_t r = 0; r < b.rows; r += Side) {
      const int64_t row = std::min(r, b.rows - Side);
      for (int64_t c = 0; c < b.cols; c += Side) {
        const int64_t col = std::min(c, b.cols - Side);
        square<Size, Side>(in + col * Size, b.row_in + row, out + row * Size, b.col_out + col);
      }
    }
  }
}

template <int Size, int Side>
HWY_INLINE void transpose_by(const Blocks& blocks, int64_t side) {
  if constexpr (Side == 1) {
    transpose_squares<Size, 1>(blocks);
  } else {
    if (side >= Side) return transpose_squares<Size, Side>(blocks);
    // Between a whole vector and 16 bytes there is nothing.
    transpose_by<Size, (Size * Side > 16 ? 16 / Size : Side / 2)>(blocks, side);
  }
}

// Units of Count to 2 * Count bytes, as their first and their last Count.
template <int Count>
void transpose_units(const Blocks& blocks, int64_t unit) {
  const Blocks b = blocks;
  const int64_t last = unit - Count;
  for (int64_t piece = 0; piece < b.count; ++piece)
    for (int64_t c = 0; c < b.cols; ++c) {
      const uint8_t* HWY_RESTRICT const in = b.in + b.pieces[piece].in + c * unit;
      uint8_t* HWY_RESTRICT out = b.out + b.pieces[piece].out + b.col_out[c];
      for (int64_t r = 0; r < b.rows; ++r, out += unit) {
        const uint8_t* const from = in + b.row_in[r];
        std::memcpy(out, from, Count);
        std::memcpy(out + last, from + last, Count);
      }
    }
}

// Squares of units of 3, or 5 to 7 bytes, which Padded bytes hold: as many as 16 bytes hold padded.
// A row's loads are of 16 bytes too, within the row.
template <int Padded>
class PaddedSquare {
 public:
  static constexpr int kSide = 16 / Padded;

  explicit PaddedSquare(int64_t unit) : unit_(unit) {
    const int64_t bytes = kSide * unit;
    for (int64_t i = 0; i < 16; ++i) {
      const int64_t from = i / Padded * unit + i % Padded;
      spread_[i] = static_cast<uint8_t>(from);
      spread_late_[i] = static_cast<uint8_t>(std::min<int64_t>(from + 16 - bytes, 15));
    }
    last_ = bytes - 8;
    for (int64_t i = 0; i < 8; ++i) {
      const auto padded = [&](int64_t at) {
        return static_cast<uint8_t>(at / unit * Padded + at % unit);
      };
      pack_[i] = padded(i);
      pack_last_[i] = padded(last_ + i);
    }
  }

  bool fits(const Blocks& b) const { return b.rows >= kSide && b.cols * unit_ >= 16; }

  HWY_INLINE void transpose(const Blocks& b, const uint8_t* HWY_RESTRICT in, int64_t row,
                            int64_t col, uint8_t* HWY_RESTRICT out) const {
    // The last loads of a row end with it.
    const bool is_late = (b.cols - col) * unit_ < 16;
    const uint8_t* const from = in + (is_late ? (col + kSide) * unit_ - 16 : col * unit_);
    const auto spread = hn::Load(Block(), is_late ? spread_late_ : spread_);
    const hn::Repartition<typename UintOf<Padded>::type, Block> lanes;
    using Lane = decltype(hn::Zero(lanes));
    Lane v[kSide];
    unroll<kSide>([&](auto r) XPOSE_INLINE {
      const auto units = hn::LoadU(Block(), from + b.row_in[row + r]);
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
    const auto pack = hn::Load(Block(), pack_), pack_last = hn::Load(Block(), pack_last_);
    unroll<kSide>([&](auto c) XPOSE_INLINE {
      const auto units = hn::BitCast(Block(), v[c]);
      uint8_t* const to = out + b.col_out[col + c] + row * unit_;
      store_part<8>(hn::TableLookupBytes(units, pack), to);
      store_part<8>(hn::TableLookupBytes(units, pack_last), to + last_);
    });
  }

 private:
  int64_t unit_, last_;
  // Bytes of a load that padded units have, of one that ends with the last of them, and bytes of
  // padded units that the first and the last 8 of the output have.
  alignas(16) uint8_t spread_[16], spread_late_[16], pack_[16] = {}, pack_last_[16] = {};
};

template <int Padded>
void transpose_padded(const Blocks& blocks, int64_t unit) {
  const Blocks b = blocks;
  const PaddedSquare<Padded> square(unit);
  constexpr int64_t kSide = PaddedSquare<Padded>::kSide;
  if (!square.fits(b)) return transpose_units<Padded / 2>(blocks, unit);
  for (int64_t piece = 0; piece < b.count; ++piece)
    for (int64_t r = 0; r < b.rows; r += kSide)
      for (int64_t c = 0; c < b.cols; c += kSide)
        square.transpose(b, b.in + b.pieces[piece].in, std::min(r, b.rows - kSide),
                         std::min(c, b.cols - kSide), b.out + b.pieces[piece].out);
}

void transpose(const Blocks& blocks, int64_t unit) {
  const int64_t side = std::min(blocks.rows, blocks.cols);
  switch (unit) {
    case 1:
      return transpose_by<1, 16>(blocks, side);
    case 2:
      return transpose_by<2, 8>(blocks, side);
    case 4:
      return transpose_by<4, kVector / 4>(blocks, side);
    case 8:
      return transpose_by<8, kVector / 8>(blocks, side);
    case 16:
      return transpose_by<16, 1>(blocks, side);
    case 3:
      return transpose_padded<4>(blocks, unit);
    default:
      break;
  }
  if (unit < 8) return transpose_padded<8>(blocks, unit);
  if (unit <= 16) return transpose_units<8>(blocks, unit);
  if (unit <= 32) return transpose_units<16>(blocks, unit);
  transpose_units<32>(blocks, unit);
}

// `bytes` bytes, at least Count; the last Count lie over bytes that are done.
template <int Count>
HWY_INLINE void copy_parts(const uint8_t* HWY_RESTRICT from, uint8_t* HWY_RESTRICT to,
                           int64_t bytes) {
  for (int64_t at = 0; at < bytes; at += Count) {
    const int64_t place = std::min(at, bytes - Count);
    std::memcpy(to + place, from + place, Count);
  }
}
template <int Count>
HWY_INLINE void copy_by(const Blocks& b, int64_t bytes) {
  for (int64_t piece = 0; piece < b.count; ++piece)
    copy_parts<Count>(b.in + b.pieces[piece].in, b.out + b.pieces[piece].out, bytes);
}

void copy(const Blocks& b, int64_t bytes) {
  if (bytes >= kVector) return copy_by<kVector>(b, bytes);
  if (bytes >= 16) return copy_by<16>(b, bytes);
  if (bytes >= 8) return copy_by<8>(b, bytes);
  if (bytes >= 4) return copy_by<4>(b, bytes);
  if (bytes >= 2) return copy_by<2>(b, bytes);
  copy_by<1>(b, bytes);
}

}  // namespace HWY_NAMESPACE
}  // namespace host_permute
HWY_AFTER_NAMESPACE();

#endif
