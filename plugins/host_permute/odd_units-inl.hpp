// Units whose bytes are no power of two: squares of them padded in registers, or moves that the
// next unit overlaps.
//
// Included once for each target of Highway, as register_tile-inl.hpp is.
#include <algorithm>
#include <cstring>

#include "../kit/host/padded_square-inl.hpp"
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

template <int Padded>
void transpose_padded(const Blocks& blocks, int64_t unit) {
  const Blocks b = blocks;
  const PaddedSquare<Padded> square(unit);
  constexpr int64_t kSide = PaddedSquare<Padded>::kSide, kSeveral = PaddedSquare<Padded>::kSeveral;
  if (b.rows < kSide || b.cols * unit < 16) return transpose_units<Padded / 2>(blocks, unit);
  for (int64_t piece = 0; piece < b.count; ++piece) {
    const uint8_t* const in = b.in + b.pieces[piece].in;
    uint8_t* const out = b.out + b.pieces[piece].out;
    const auto in_at = [&](int64_t row, int64_t col) XPOSE_INLINE {
      return [from = in + col * unit, places = b.row_in + row](int64_t r)
                 XPOSE_INLINE { return from + places[r]; };
    };
    const auto out_at = [&](int64_t row, int64_t col) XPOSE_INLINE {
      return [to = out + row * unit, places = b.col_out + col](int64_t c)
                 XPOSE_INLINE { return to + places[c]; };
    };
    int64_t r = 0;
    for (; r + kSeveral <= b.rows; r += kSeveral)
      for (int64_t c = 0; c < b.cols; c += kSide) {
        const int64_t col = std::min(c, b.cols - kSide);
        square.template transpose_several<false>(square.loads((b.cols - col) * unit), in_at(r, col),
                                                 out_at(r, col));
      }
    for (; r < b.rows; r += kSide) {
      const int64_t row = std::min(r, b.rows - kSide);
      for (int64_t c = 0; c < b.cols; c += kSide) {
        const int64_t col = std::min(c, b.cols - kSide);
        square.transpose(square.loads((b.cols - col) * unit), in_at(row, col), out_at(row, col));
      }
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace host_permute
HWY_AFTER_NAMESPACE();

#endif
