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
#include "odd_units-inl.hpp"

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

// The whole lines that a square has.
template <int Size, int Side>
constexpr int kLinesOf = Size* Side* Side / kLine;

// A square of one vector a side, from the places of its rows to those of its columns. step(i) is
// called for every line i that it has, evenly between its loads and its stores.
template <int Size, class Step>
HWY_INLINE void wide_square(const uint8_t* HWY_RESTRICT in, const int64_t* HWY_RESTRICT row_in,
                            uint8_t* HWY_RESTRICT out, const int64_t* HWY_RESTRICT col_out,
                            const Step& step) {
  constexpr int kRows = 16 / Size, kSide = kVector / Size, kLines = kLinesOf<Size, kSide>;
  const auto moved = [&](int vectors) XPOSE_INLINE {
    if (vectors * kLines % (2 * kSide) == 0) step(vectors * kLines / (2 * kSide) - 1);
  };
  Vector v[kSide];
  unroll<kBlocks>([&](auto block) XPOSE_INLINE {
    unroll<kRows>([&](auto r) XPOSE_INLINE {
      constexpr int kRow = block * kRows + r;
      v[kRow] = hn::LoadU(Bytes(), in + row_in[kRow]);
      if constexpr (kLines != 0) moved(kRow + 1);
    });
    transpose_in_blocks<Size>(v + block * kRows);
  });
  unroll<kRows>([&](auto r) XPOSE_INLINE {
    transpose_blocks<kRows>(v + r);
    unroll<kBlocks>([&](auto block) XPOSE_INLINE {
      constexpr int kCol = block * kRows + r;
      hn::StoreU(v[kCol], Bytes(), out + col_out[kCol]);
      if constexpr (kLines != 0) moved(kSide + r * kBlocks + block + 1);
    });
  });
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

template <int Size, int Side, class Step>
HWY_INLINE void square(const uint8_t* HWY_RESTRICT in, const int64_t* HWY_RESTRICT row_in,
                       uint8_t* HWY_RESTRICT out, const int64_t* HWY_RESTRICT col_out,
                       const Step& step) {
  if constexpr (Size * Side == kVector) {
    wide_square<Size>(in, row_in, out, col_out, step);
  } else {
    small_square<Size, Side>(in, row_in, out, col_out);
    unroll<kLinesOf<Size, Side>>([&](auto i) XPOSE_INLINE { step(i); });
  }
}

// Rows whose lines are asked for again before their squares, at two distances. A processor drops
// prefetches while its fill buffers wait for memory, and the load of a line that was dropped holds
// up all behind it; what has come by then costs no more than the instructions.
constexpr int64_t kNextRows = 16, kSoonRows = 64;

// Asks for Count rows of a block from `row` on. Behind its last one comes the block that continues
// its rows.
template <int Count>
HWY_INLINE void ask_again(const Blocks& b, const uint8_t* in, int64_t row, int64_t row_bytes) {
  for (; row >= b.rows; row -= b.rows) in += row_bytes;
  for (int i = 0; i < Count; ++i, ++row) {
    if (row == b.rows) {
      row = 0;
      in += row_bytes;
    }
    const uint8_t* const from = in + b.row_in[row];
    ask_for(from, 2);
    ask_for(from + row_bytes - 1, 2);
  }
}

// Asks for the lines `at` bytes behind the begins of Side rows, which lie ahead of the row of a
// square: as far as a set has room for lines beside the square's own, and no nearer than its next
// rows. Behind the last row comes the next piece, and behind that the next block.
template <int Side>
HWY_INLINE void ask_for_next(const Blocks& b, int64_t piece, int64_t row, int64_t at) {
  constexpr int kWays = 8, kAhead = std::max(kWays - Side, Side);
  const uint8_t* const in = b.in + b.pieces[piece].in + at;
  const uint8_t* const behind =
      (piece + 1 < b.count ? b.in + b.pieces[piece + 1].in : b.next_in) + at;
  const int64_t begin = row + kAhead, end = std::min(begin + Side, 2 * b.rows);
  for (int64_t next = begin; next < end; ++next)
    ask_for(next < b.rows ? in + b.row_in[next] : behind + b.row_in[next - b.rows], 1);
}

// At least Side rows and columns. Calls each(square) for every square, and each calls square(step).
template <int Size, int Side, class Each>
HWY_INLINE void transpose_squares(const Blocks& blocks, const Each& each) {
  const Blocks b = blocks;  // bytes that are stored may be anybody's, but not a local's
  for (int64_t piece = 0; piece < b.count; ++piece) {
    const uint8_t* const in = b.in + b.pieces[piece].in;
    uint8_t* const out = b.out + b.pieces[piece].out;
    for (int64_t r = 0; r < b.rows; r += Side) {
      const int64_t row = std::min(r, b.rows - Side);
      if (b.asks == Asks::lines_again)
        for (const int64_t ahead : {kNextRows, kSoonRows})
          ask_again<Side>(b, in, r + ahead, b.cols * Size);
      for (int64_t c = 0; c < b.cols; c += Side) {
        const int64_t col = std::min(c, b.cols - Side);
        each([&](const auto& step) XPOSE_INLINE {
          square<Size, Side>(in + col * Size, b.row_in + row, out + row * Size, b.col_out + col,
                             step);
        });
        const bool ends_line = (c + Side) * Size % kLine == 0 || c + Side >= b.cols;
        if (b.asks == Asks::next_rows && ends_line) ask_for_next<Side>(b, piece, r, c * Size);
      }
    }
  }
}

template <int Size, int Side>
void transpose_squares(const Blocks& blocks) {
  transpose_squares<Size, Side>(
      blocks, [](const auto& square) XPOSE_INLINE { square([](int) XPOSE_INLINE {}); });
}

// The next smaller square. Between a whole vector and 16 bytes there is none.
template <int Size, int Side>
constexpr int next_side() {
  return Size * Side > 16 ? 16 / Size : Side / 2;
}

template <int Size, int Side>
HWY_INLINE void transpose_by(const Blocks& blocks, int64_t side) {
  if constexpr (Side == 1) {
    transpose_squares<Size, 1>(blocks);
  } else {
    if (side >= Side) return transpose_squares<Size, Side>(blocks);
    transpose_by<Size, next_side<Size, Side>()>(blocks, side);
  }
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
      return transpose_by<16, kVector / 16>(blocks, side);
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
