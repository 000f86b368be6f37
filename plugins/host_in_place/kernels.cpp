// Compiles the kernels for every target of Highway.
#include "kernels.hpp"

#include "../kit/host/each_target-inl.hpp"
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
  static const auto& all = *new auto(HOST_RUNNABLE(Kernels, kernels_here));
  return all;
}

}  // namespace host_in_place
#endif
