// A kernel as the driver was asked to launch it, and what it takes of a multiprocessor.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace xpose {

struct LaunchedKernel {
  std::string name;                                // demangled
  std::array<std::uint32_t, 3> grid = {1, 1, 1};   // blocks
  std::array<std::uint32_t, 3> block = {1, 1, 1};  // threads
  std::uint32_t registers = 0;                     // of a thread
  std::uint64_t static_shared_bytes = 0;           // of a block
  std::uint64_t dynamic_shared_bytes = 0;
  std::uint32_t blocks_per_multiprocessor = 0;  // that fit at once
  double occupancy = 0;                         // active warps over the most a multiprocessor holds
};

std::uint32_t warps_per_block(const LaunchedKernel& kernel);
std::uint64_t blocks(const LaunchedKernel& kernel);

// Of `blocks` blocks of `threads` threads on a multiprocessor that holds `max_threads`: a block's
// last warp counts whole. 0 where max_threads is 0.
double occupancy(std::uint32_t blocks, std::uint32_t threads, std::uint32_t max_threads);

// The one that runs the most warps, the first of equals: it speaks for a launch of several. Null
// where there is none. Points into `kernels`.
const LaunchedKernel* leading_kernel(const std::vector<LaunchedKernel>& kernels);

}  // namespace xpose
