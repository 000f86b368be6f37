// Straight from registers to memory, for a matrix that stays in the cache, and for a strip of a
// large one, one tile high or one tile wide: its tiles' output lines follow each other closely, so
// that no staging buffer has to gather them, and the stores need not share the processor's queue
// with those to a buffer. Vectors narrower than a line meet in a buffer of one tile: a line whose
// parts are stored one by one past the caches may leave the processor before it is whole. In the
// cache straight from registers is slower where a tile's output rows fall into few sets of the
// first level.
//
// Included once for each target of Highway, as register_tile-inl.hpp is.
#include <hwy/cache_control.h>

#include <algorithm>
#include <cstring>

#include "../kit/host/lines-inl.hpp"
#include "../kit/host/register_tile-inl.hpp"
#include "rectangle.hpp"

#if defined(XPOSE_HOST_SIMD_DIRECT) == defined(HWY_TARGET_TOGGLE)
#ifdef XPOSE_HOST_SIMD_DIRECT
#undef XPOSE_HOST_SIMD_DIRECT
#else
#define XPOSE_HOST_SIMD_DIRECT
#endif

HWY_BEFORE_NAMESPACE();
namespace host_simd {
namespace HWY_NAMESPACE {

using namespace host::HWY_NAMESPACE;

// Tiles whose lines are asked for ahead.
template <int Size>
inline constexpr int64_t kStripLead = std::max(1, 8 * 1024 / (kLine * (kLine / Size)));

// r: one tile high or one tile wide, its output rows aligned to lines.
template <int Size>
void transpose_strip(const Rectangle& r) {
  constexpr int64_t kSide = kLine / Size;
  const bool flat = r.row_end - r.row_begin == kSide;
  const int64_t elements = flat ? r.col_end - r.col_begin : r.row_end - r.row_begin;
  const int64_t in_step = flat ? kLine : kSide * r.in_pitch;  // from one tile to the next
  const int64_t out_step = flat ? kSide * r.out_pitch : kLine;
  const uint8_t* in = r.in + r.row_begin * r.in_pitch + r.col_begin * Size;
  uint8_t* out = r.out + r.col_begin * r.out_pitch + r.row_begin * Size;
  const int64_t in_pitch = r.in_pitch, out_pitch = r.out_pitch;
  const int level = r.ahead;
  alignas(kLine) uint8_t staged[kSide * kLine];  // (column, line)
  for (int64_t tile = 0; tile < elements / kSide; ++tile) {
    const uint8_t* ahead = in + kStripLead<Size> * in_step;  // harmless beyond the end
    transpose_tile<Size>(
        in, in_pitch,
        [&](int c, int part, Vector v) XPOSE_INLINE {
          if constexpr (kVector == kLine)
            hn::Stream(v, Bytes(), out + c * out_pitch);
          else
            hn::Store(v, Bytes(), staged + c * kLine + part * kVector);
        },
        [&]() XPOSE_INLINE {
          if (level != 0) ask_for(ahead, level);
          ahead += in_pitch;
        });
    if constexpr (kVector != kLine)
      for (int64_t c = 0; c < kSide; ++c) stream_line(staged + c * kLine, out + c * out_pitch);
    in += in_step;
    out += out_step;
  }
  // The last tile is moved back over elements that are done, by another thread it may be.
  const int64_t done = (kSide - elements % kSide) % kSide;
  if (done == 0) return;
  transpose_tile_to<Size>(in - (flat ? done * Size : done * in_pitch), in_pitch, staged, kLine);
  const int64_t fresh = kSide - done;
  for (int64_t c = 0; c < (flat ? fresh : kSide); ++c)
    std::memcpy(out + c * out_pitch, staged + (flat ? (done + c) * kLine : c * kLine + done * Size),
                static_cast<size_t>(flat ? kLine : fresh * Size));
}

// As transpose_tile_to(); the lines of the tile below, which follow the ones written, are asked
// for.
template <int Size>
HWY_NOINLINE void transpose_tile_before_next(const uint8_t* HWY_RESTRICT in, ptrdiff_t in_pitch,
                                             uint8_t* HWY_RESTRICT out, ptrdiff_t out_pitch) {
  const uint8_t* next = out + kLine;
  transpose_tile<Size>(
      in, in_pitch,
      [&](int c, int part, Vector v)
          XPOSE_INLINE { hn::StoreU(v, Bytes(), out + c * out_pitch + part * kVector); },
      [&]() XPOSE_INLINE {
        __builtin_prefetch(next, 1, 3);
        next += out_pitch;
      });
}

// By ordinary stores straight from registers, down the columns of tiles, so that neighbouring lines
// of an output row are written one after the other. r: a tile high and wide at least, at any
// addresses.
template <int Size>
void transpose_directly(const Rectangle& r) {
  constexpr int64_t kSide = kLine / Size;
  for (int64_t c = r.col_begin; c < r.col_end; c += kSide) {
    const int64_t col = std::min(c, r.col_end - kSide);  // over elements that are done
    for (int64_t b = r.row_begin; b < r.row_end; b += kSide) {
      const int64_t row = std::min(b, r.row_end - kSide);
      const uint8_t* const in = r.in + row * r.in_pitch + col * Size;
      uint8_t* const out = r.out + col * r.out_pitch + row * Size;
      if (r.ahead == 0)
        transpose_tile_to<Size>(in, r.in_pitch, out, r.out_pitch);
      else
        transpose_tile_before_next<Size>(in, r.in_pitch, out, r.out_pitch);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace host_simd
HWY_AFTER_NAMESPACE();

#endif
