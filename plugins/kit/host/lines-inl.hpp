// Whole 64-byte lines: moved by ordinary or by non-temporal stores, and asked for ahead.
//
// Included once for each target of Highway, as register_tile-inl.hpp is.
#include <hwy/cache_control.h>

#include <algorithm>
#include <cstring>

#include "register_tile-inl.hpp"
#include "write_ends.hpp"

#if defined(XPOSE_KIT_LINES) == defined(HWY_TARGET_TOGGLE)
#ifdef XPOSE_KIT_LINES
#undef XPOSE_KIT_LINES
#else
#define XPOSE_KIT_LINES
#endif

HWY_BEFORE_NAMESPACE();
namespace host {
namespace HWY_NAMESPACE {

HWY_INLINE void stream_line(const uint8_t* HWY_RESTRICT from, uint8_t* HWY_RESTRICT to) {
  unroll<kLine / kVector>([&](auto part) XPOSE_INLINE {
    hn::Stream(hn::LoadU(Bytes(), from + part * kVector), Bytes(), to + part * kVector);
  });
}

HWY_INLINE void copy_line(const uint8_t* HWY_RESTRICT from, uint8_t* HWY_RESTRICT to) {
  unroll<kLine / kVector>([&](auto part) XPOSE_INLINE {
    hn::StoreU(hn::LoadU(Bytes(), from + part * kVector), Bytes(), to + part * kVector);
  });
}

// Whole aligned lines by non-temporal stores, the ragged ends by memcpy.
inline void stream_bytes(const uint8_t* from, uint8_t* to, int64_t bytes) {
  const WholeLines whole = write_ends(from, to, bytes);
  for (int64_t at = whole.begin; at < whole.begin + whole.bytes; at += kLine)
    stream_line(from + at, to + at);
}

// Asks for the line at that address, which need not exist, to be in the cache of a level, 1 or 2.
HWY_INLINE void ask_for(const uint8_t* at, int level) {
  if (level == 1)
    __builtin_prefetch(at, 0, 3);
  else
    __builtin_prefetch(at, 0, 2);
}

// Asks for the lines of a block of the input row by row, one more of a row that does not begin
// with a line. Harmless beyond the block's end.
struct LinesAhead {
  int level;  // of the caches; 0: nothing is asked for
  const uint8_t* row;
  int64_t pitch;  // bytes
  int64_t lines;  // of a row
  int64_t end;    // the offset of a row's last byte
  int64_t line;

  HWY_INLINE void step() {
    if (level == 0) return;
    ask_for(row + line * kLine, level);
    if (++line == lines) {
      if (reinterpret_cast<uintptr_t>(row) % kLine != 0) ask_for(row + end, level);
      line = 0;
      row += pitch;
    }
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace host
HWY_AFTER_NAMESPACE();

#endif
