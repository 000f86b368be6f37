// Compiles the kernels for every target of Highway.
#include "kernels.hpp"

#include "../kit/host/each_target-inl.hpp"
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
  static const auto& all = *new auto(HOST_RUNNABLE(Kernels, kernels_here));
  return all;
}

}  // namespace host_skinny
#endif
