// Compiles the kernels for every target of Highway.
#include "kernels.hpp"

#include "../kit/host/each_target-inl.hpp"
#include "../kit/host/register_tile-inl.hpp"
#include "direct-inl.hpp"
#include "panels-inl.hpp"
#include "stream_walk-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace host_simd {
namespace HWY_NAMESPACE {

template <int Size, Output Out>
void walk_lines(const Rectangle& r) {
  constexpr int kLongRun = long_run(Size, Out == Output::kAlignedLines);
  if (r.gather == 8) return Walk<Size, Out, kLongRun>(r).walk();
  Walk<Size, Out, 2>(r).walk();
}

// Output rows are aligned to lines.
template <int Size>
void stream_lines(const Rectangle& r) {
  constexpr int64_t kSide = kLine / Size;
  if (r.row_end - r.row_begin == kSide || r.col_end - r.col_begin == kSide)
    return transpose_strip<Size>(r);
  if constexpr (Size == 1)
    if (r.gather == 1) return Walk<Size, Output::kAlignedLines, 1>(r).walk();
  walk_lines<Size, Output::kAlignedLines>(r);
}

template <int Size>
void transpose_elements(const Rectangle& r) {
  constexpr int64_t kSide = kLine / Size;
  if (r.stream) {
    if (r.panels != Panels::kNone) PanelWalk<Size>(r).walk();
    // Output rows are all aligned where the first and the distance to the next are.
    else if (reinterpret_cast<uintptr_t>(r.out) % kLine == 0 && r.out_pitch % kLine == 0)
      stream_lines<Size>(r);
    else
      walk_lines<Size, Output::kUnalignedLines>(r);
    // Once a share: nobody reads a matrix before all are written.
    if (r.next == nullptr) hwy::FlushStream();
  } else if (r.gather == 0 && r.row_end - r.row_begin >= kSide &&
             r.col_end - r.col_begin >= kSide) {
    transpose_directly<Size>(r);
  } else {
    Walk<Size, Output::kCached, 4>(r).walk();
  }
}

void transpose(const Rectangle& r, uint32_t element_bytes) {
  switch (element_bytes) {
    case 1:
      return transpose_elements<1>(r);
    case 2:
      return transpose_elements<2>(r);
    case 4:
      return transpose_elements<4>(r);
    case 8:
      return transpose_elements<8>(r);
    case 16:
      return transpose_elements<16>(r);
  }
}

Kernels kernels_here() { return {hwy::TargetName(HWY_TARGET), transpose}; }

}  // namespace HWY_NAMESPACE
}  // namespace host_simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace host_simd {

const std::vector<Kernels>& kernels() {
  static const auto& all = *new auto(HOST_RUNNABLE(Kernels, kernels_here));
  return all;
}

}  // namespace host_simd
#endif
