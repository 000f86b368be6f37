// Compiles the kernels for every target of Highway.
#include "kernels.hpp"

// Wider vectors take the compiler minutes under a sanitizer; the walk, where addresses come from,
// is the same on every target.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HWY_COMPILE_ONLY_STATIC
#endif

// As for host_simd, which has the same tile.
#define HWY_DISABLED_TARGETS \
  (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | (HWY_AVX3 - 1))
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "../kit/host/host_targets.hpp"
#include "swap_blocks-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace host_in_place {
namespace HWY_NAMESPACE {

template <int Bytes>
void swap_elements(const Squares& squares, int64_t run, Order order, int64_t first, int64_t last) {
  if (run == 256)
    swap_pairs<Bytes, 256>(squares, order, first, last);
  else
    swap_pairs<Bytes, 128>(squares, order, first, last);
}

void swap(const Squares& squares, uint32_t element_bytes, int64_t run, Order order, int64_t first,
          int64_t last) {
  switch (element_bytes) {
    case 1:
      return swap_elements<1>(squares, run, order, first, last);
    case 2:
      return swap_elements<2>(squares, run, order, first, last);
    case 4:
      return swap_elements<4>(squares, run, order, first, last);
    case 8:
      return swap_elements<8>(squares, run, order, first, last);
    case 16:
      return swap_elements<16>(squares, run, order, first, last);
  }
}

Kernels kernels_here() { return {hwy::TargetName(HWY_TARGET), swap}; }

}  // namespace HWY_NAMESPACE
}  // namespace host_in_place
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace host_in_place {

const std::vector<Kernels>& kernels() {
  static const auto all = HOST_RUNNABLE(Kernels, kernels_here);
  return all;
}

}  // namespace host_in_place
#endif
