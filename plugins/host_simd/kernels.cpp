// Compiles the kernels for every target of Highway.
#include "kernels.hpp"

// With the tiles of wider vectors a compiler under ASan had taken 1.3 GB and 55 s when it was
// stopped; this one takes 36 s. The walk, where addresses come from, is the same on every target.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HWY_COMPILE_ONLY_STATIC
#endif

// Vectors of a length unknown to the compiler cannot stand in arrays, as those of a tile do. The
// tile uses nothing beyond the first AVX-512, and every target costs seconds to compile.
#define HWY_DISABLED_TARGETS \
  (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | (HWY_AVX3 - 1))
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "../host_targets.hpp"
#include "direct.hpp"
#include "register_tile.hpp"
#include "stream_walk.hpp"

HWY_BEFORE_NAMESPACE();
namespace host_simd {
namespace HWY_NAMESPACE {

template <int Size>
void transpose_elements(const Rectangle& r, Store store) {
  if (store == Store::kDirect && r.row_end - r.row_begin >= kLine / Size &&
      r.col_end - r.col_begin >= kLine / Size)
    return transpose_directly<Size>(r);
  if (store != Store::kStream) return Walk<Size, Output::kCached>(r).walk();
  // Output rows are all aligned where the first and the distance to the next are.
  if (reinterpret_cast<uintptr_t>(r.out) % kLine == 0 && r.out_pitch % kLine == 0) {
    constexpr int64_t kSide = kLine / Size;
    if (r.row_end - r.row_begin == kSide || r.col_end - r.col_begin == kSide)
      transpose_strip<Size>(r);
    else
      Walk<Size, Output::kAlignedLines>(r).walk();
  } else {
    Walk<Size, Output::kUnalignedLines>(r).walk();
  }
  hwy::FlushStream();
}

void transpose(const Rectangle& r, uint32_t element_bytes, Store store) {
  switch (element_bytes) {
    case 1:
      return transpose_elements<1>(r, store);
    case 2:
      return transpose_elements<2>(r, store);
    case 4:
      return transpose_elements<4>(r, store);
    case 8:
      return transpose_elements<8>(r, store);
    case 16:
      return transpose_elements<16>(r, store);
  }
}

Kernels kernels_here() { return {hwy::TargetName(HWY_TARGET), transpose}; }

}  // namespace HWY_NAMESPACE
}  // namespace host_simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace host_simd {

const std::vector<Kernels>& kernels() {
  static const auto all = HOST_RUNNABLE(Kernels, kernels_here);
  return all;
}

}  // namespace host_simd
#endif
