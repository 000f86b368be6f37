// What Policy::estimate chooses on the host, by the cost model alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "xpose/xpose.hpp"

namespace xpose {

#if defined(__x86_64__)
inline const bool kIsOfAmd = __builtin_cpu_is("amd") != 0;
inline const bool kHasAvx512 = __builtin_cpu_supports("avx512f") != 0;
#else
inline const bool kIsOfAmd = false, kHasAvx512 = false;
#endif

// By the cost model alone: a folder without tables stands for that of the installation, which may
// have one of this machine's class.
inline std::string choice(Problem problem, std::uint32_t alignment = 256) {
  static Engine engine({.plugin_folders = {XPOSE_PLUGINS},
                        .threads = 2,
                        .in_process = true,
                        .remember = false,
                        .table_folders = {XPOSE_PLUGINS}});
  problem.in_alignment = problem.out_alignment = alignment;
  return to_string(engine.plan(problem, {.policy = Policy::estimate}).variant());
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
