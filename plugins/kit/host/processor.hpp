// The processors whose memory prefers other ways of writing than that of most.
#pragma once

namespace host {

inline bool is_of_amd() {
#if defined(__x86_64__)
  return __builtin_cpu_is("amd") != 0;
#else
  return false;
#endif
}

inline bool is_of_amd_without_avx512() {
#if defined(__x86_64__)
  static const bool is_here = is_of_amd() && __builtin_cpu_supports("avx512f") == 0;
  return is_here;
#else
  return false;
#endif
}

inline bool is_of_amd_with_avx512() { return is_of_amd() && !is_of_amd_without_avx512(); }

}  // namespace host
