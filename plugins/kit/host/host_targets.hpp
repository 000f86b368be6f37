// Kernels that Highway compiles once for each of its targets, and which of them this processor can
// run. Highway's own dispatch needs libhwy, a shared library that measures the clock while it is
// loaded. That takes longer than a plan from the cache (host_simd/NOTES.md).
#pragma once

#include <hwy/highway.h>

#include <vector>

namespace host {

// The results of those versions of a function that this processor can run, the widest vectors
// first. AVX-512 is here its first generation for servers, which Highway calls AVX3. [baseline: the
// version that every processor of the build runs; others may be the same or null]
template <class Kernels>
std::vector<Kernels> runnable(Kernels (*avx3)(), Kernels (*avx2)(), Kernels (*baseline)()) {
  std::vector<Kernels> all;
#if HWY_ARCH_X86
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                        __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool has_avx3 = has_avx2 && __builtin_cpu_supports("avx512f") &&
                        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
                        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (has_avx3 && avx3 != nullptr && avx3 != baseline) all.push_back(avx3());
  if (has_avx2 && avx2 != nullptr && avx2 != baseline) all.push_back(avx2());
#endif
  all.push_back(baseline());
  return all;
}

}  // namespace host

// The versions of a function of the namespaces HWY_NAMESPACE, which returns Kernels. Whoever keeps
// them never destroys them, since a thread may launch a plan while the process ends.
#define HOST_RUNNABLE(Kernels, function)                                        \
  host::runnable<Kernels>(HWY_CHOOSE_AVX3(function), HWY_CHOOSE_AVX2(function), \
                          &HWY_STATIC_DISPATCH(function))
