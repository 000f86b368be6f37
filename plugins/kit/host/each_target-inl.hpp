// A plugin's kernels.cpp includes this before its own *-inl.hpp, and is then compiled once for each
// target of Highway. foreach_target.h brings this file around again each time: no #pragma once.

// Wider vectors take the compiler minutes under a sanitizer; the walk, where addresses come from,
// is the same on every target.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HWY_COMPILE_ONLY_STATIC
#endif

// Vectors of a length unknown to the compiler cannot stand in arrays, as those of a tile do.
// Nothing beyond the first AVX-512 is used, and every target costs seconds to compile.
#define HWY_DISABLED_TARGETS \
  (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | (HWY_AVX3 - 1))
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "host_targets.hpp"
