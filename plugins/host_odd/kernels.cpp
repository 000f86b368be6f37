// Compiles the kernels for every target of Highway.
#include "kernels.hpp"

#include "../kit/host/each_target-inl.hpp"
#include "walk-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace host_odd {
namespace HWY_NAMESPACE {

void transpose(const Rectangle& r) {
  if (r.shape.unit < 4) return Walk<PaddedTile<4>>(r).walk();
  if (r.shape.unit < 8) return Walk<PaddedTile<8>>(r).walk();
  if (r.shape.unit < 16) return Walk<MovedTile<16>>(r).walk();
  Walk<MovedTile<32>>(r).walk();
}
void finish() { hwy::FlushStream(); }

Kernels kernels_here() { return {hwy::TargetName(HWY_TARGET), transpose, finish}; }

}  // namespace HWY_NAMESPACE
}  // namespace host_odd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace host_odd {

const std::vector<Kernels>& kernels() {
  static const auto& all = *new auto(HOST_RUNNABLE(Kernels, kernels_here));
  return all;
}

}  // namespace host_odd
#endif
