// Compiles the kernels for every target of Highway.
#include "kernels.hpp"

// Wider vectors take the compiler minutes under a sanitizer; the walk, where addresses come from,
// is the same on every target.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HWY_COMPILE_ONLY_STATIC
#endif

// Vectors of a length unknown to the compiler cannot stand in arrays, as those of a granule do.
// Nothing beyond the first AVX-512 is used, and every target costs seconds to compile.
#define HWY_DISABLED_TARGETS \
  (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | (HWY_AVX3 - 1))
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "../kit/host/host_targets.hpp"
#include "deinterleave-inl.hpp"
#include "interleave-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace host_skinny {
namespace HWY_NAMESPACE {

template <int Size>
void transpose_elements(const Job& job) {
  if (job.form == Form::kDeinterleave)
    Deinterleave<Size>(job).run();
  else
    Interleave<Size>(job).run();
  if (job.streams) hwy::FlushStream();
}

void transpose(const Job& job, uint32_t element_bytes) {
  switch (element_bytes) {
    case 1:
      return transpose_elements<1>(job);
    case 2:
      return transpose_elements<2>(job);
    case 4:
      return transpose_elements<4>(job);
    case 8:
      return transpose_elements<8>(job);
    case 16:
      return transpose_elements<16>(job);
  }
}

Kernels kernels_here() { return {hwy::TargetName(HWY_TARGET), transpose}; }

}  // namespace HWY_NAMESPACE
}  // namespace host_skinny
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace host_skinny {

const std::vector<Kernels>& kernels() {
  static const auto all = HOST_RUNNABLE(Kernels, kernels_here);
  return all;
}

}  // namespace host_skinny
#endif
