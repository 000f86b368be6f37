// Copies from global to shared memory that pass no registers.
#pragma once

#include <cstdint>
#include <xpose/cuda.hpp>

namespace xpose::kernels {

// A copy to shared memory that does not wait, of 4, 8 or 16 bytes at a multiple of them on both
// sides; copies_arrive() waits for those of the thread. ByL1: lines stay in L1 for neighbours,
// which fewer than 16 bytes always do.
template <int Bytes, bool ByL1 = Bytes != 16>
__device__ __forceinline__ void copy_later(unsigned char* to, const unsigned char* from) {
#ifdef __CUDA_ARCH__
  const auto at = static_cast<uint32_t>(__cvta_generic_to_shared(to));
  if constexpr (ByL1)
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;"
                 :
                 : "r"(at), "l"(from), "n"(Bytes)
                 : "memory");
  else
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" : : "r"(at), "l"(from) : "memory");
#else
  struct alignas(Bytes) Vector {
    uint32_t word[Bytes / 4];
  };
  *reinterpret_cast<Vector*>(to) = *reinterpret_cast<const Vector*>(from);
#endif
}
__device__ __forceinline__ void copies_arrive() {
#ifdef __CUDA_ARCH__
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

}  // namespace xpose::kernels
