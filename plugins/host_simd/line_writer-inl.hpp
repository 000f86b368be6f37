// Writes staged lines to output rows, shifted where those are not aligned to lines.
//
// Included once for each target of Highway, as register_tile-inl.hpp is.
#include <cstdint>

#include "../kit/host/lines-inl.hpp"

#if defined(XPOSE_HOST_SIMD_LINE_WRITER) == defined(HWY_TARGET_TOGGLE)
#ifdef XPOSE_HOST_SIMD_LINE_WRITER
#undef XPOSE_HOST_SIMD_LINE_WRITER
#else
#define XPOSE_HOST_SIMD_LINE_WRITER
#endif

HWY_BEFORE_NAMESPACE();
namespace host_simd {
namespace HWY_NAMESPACE {

using namespace host::HWY_NAMESPACE;

// Bytes by which lines begin before an output row's address: 0 where every row is aligned.
template <bool Shifts>
int64_t shift_of(const uint8_t* to) {
  return Shifts ? static_cast<int64_t>(reinterpret_cast<uintptr_t>(to) % kLine) : 0;
}

// A staging buffer's lines, a run of an output row at a time. Pitch: bytes from a staged row to
// the next.
template <bool Streams, bool Shifts, int Pitch>
struct LineWriter {
  const uint8_t* row;  // staged
  uint8_t* to;         // the output row
  int64_t pitch;       // bytes
  int64_t run;         // bytes
  int64_t at = 0;

  HWY_INLINE void step() {
    const int64_t shifted = at - shift_of<Shifts>(to);
    if constexpr (Streams)
      stream_line(row + shifted, to + shifted);
    else
      copy_line(row + shifted, to + shifted);
    at += kLine;
    if (at == run) {
      at = 0;
      row += Pitch;
      to += pitch;
    }
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace host_simd
HWY_AFTER_NAMESPACE();

#endif
