#include "counters/launched_kernel.hpp"

#include <algorithm>

namespace xpose {
namespace {

constexpr std::uint32_t kWarpThreads = 32;

std::uint32_t warps(std::uint64_t threads) {
  return static_cast<std::uint32_t>((threads + kWarpThreads - 1) / kWarpThreads);
}

}  // namespace

std::uint32_t warps_per_block(const LaunchedKernel& kernel) {
  return warps(std::uint64_t{kernel.block[0]} * kernel.block[1] * kernel.block[2]);
}

std::uint64_t blocks(const LaunchedKernel& kernel) {
  return std::uint64_t{kernel.grid[0]} * kernel.grid[1] * kernel.grid[2];
}

double occupancy(std::uint32_t blocks, std::uint32_t threads, std::uint32_t max_threads) {
  if (max_threads == 0) return 0;
  return static_cast<double>(std::uint64_t{blocks} * warps(threads) * kWarpThreads) / max_threads;
}

const LaunchedKernel* leading_kernel(const std::vector<LaunchedKernel>& kernels) {
  const auto leading =
      std::max_element(kernels.begin(), kernels.end(), [](const auto& a, const auto& b) {
        return blocks(a) * warps_per_block(a) < blocks(b) * warps_per_block(b);
      });
  return leading == kernels.end() ? nullptr : &*leading;
}

}  // namespace xpose
