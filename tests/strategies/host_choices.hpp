// What Policy::estimate chooses on the host, by the cost model alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "loaded_plugins.hpp"
#include "problem/normal_form.hpp"
#include "quotes_here.hpp"

namespace xpose {

#if defined(__x86_64__)
inline const bool kIsOfAmd = __builtin_cpu_is("amd") != 0;
inline const bool kHasAvx512 = __builtin_cpu_supports("avx512f") != 0;
#else
inline const bool kIsOfAmd = false, kHasAvx512 = false;
#endif

// By the cost model alone, of a host with so many processors, whatever this machine has.
inline std::string choice(Problem problem, std::uint32_t alignment = 256,
                          std::uint32_t processors = 2) {
  problem.in_alignment = problem.out_alignment = alignment;
  const Problem normal = normal_form(problem);
  DeviceInfo device = device_of(DeviceKind::host);
  device.multiprocessors = processors;
  QuoterHere quoter(normal, device);
  for (const Candidate& candidate :
       candidates(loaded_plugins().strategies, normal, device, {}, quoter))
    if (candidate.is_estimate) return to_string(candidate.variant);
  return {};
}

inline std::string choice(std::int64_t matrices, std::int64_t rows, std::int64_t cols,
                          std::uint32_t bytes) {
  Problem problem = matrix(rows, cols, bytes);
  if (matrices > 1) problem.batch = {{matrices, rows * cols, rows * cols}};
  return choice(problem);
}

inline Problem in_rows(std::int64_t rows, std::int64_t cols, std::uint32_t bytes,
                       std::int64_t in_ld, std::int64_t out_ld) {
  Problem problem = matrix(rows, cols, bytes);
  problem.in_ld = in_ld;
  problem.out_ld = out_ld;
  return problem;
}

inline std::string choice(const std::vector<std::int64_t>& shape, const std::vector<int>& axes,
                          std::uint32_t bytes) {
  return choice(permutation(shape, axes, bytes));
}

}  // namespace xpose
