#include "explain/resident_loads.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace xpose {
namespace {

// Of one multiprocessor of compute capability 9.0 (CUDA C++ Programming Guide, "Technical
// Specifications per Compute Capability").
constexpr std::uint64_t kMostThreads = 2048;
constexpr std::uint64_t kMostBlocks = 32;
constexpr std::uint64_t kSharedMemory = std::uint64_t{228} << 10;
constexpr std::uint64_t kReservedOfABlock = 1024;

std::uint64_t product(const std::array<std::uint32_t, 3>& extents) {
  return std::accumulate(extents.begin(), extents.end(), std::uint64_t{1}, std::multiplies<>());
}

std::uint64_t loaded(const KernelAccount& kernel) {
  std::uint64_t bytes = 0;
  for (const AccessSite& site : kernel.sites)
    if (site.space == MemorySpace::global && site.kind == AccessKind::load) bytes += site.bytes;
  return bytes;
}

std::uint64_t resident_blocks(const KernelAccount& kernel) {
  const std::uint64_t warps = (product(kernel.block) + 31) / 32;
  return std::min({kMostBlocks, kMostThreads / 32 / std::max<std::uint64_t>(warps, 1),
                   kSharedMemory / (kernel.shared_bytes + kReservedOfABlock)});
}

}  // namespace

std::uint64_t loads_in_flight(const Explanation& told) {
  if (!told.simulation || told.simulation->kernels.empty()) return 0;
  const KernelAccount& kernel = *std::ranges::max_element(told.simulation->kernels, {}, loaded);
  const std::uint64_t blocks = product(kernel.grid) * kernel.launches;
  if (blocks == 0) return 0;
  const std::uint64_t resident = told.hardware && told.hardware->blocks_per_multiprocessor != 0
                                     ? told.hardware->blocks_per_multiprocessor
                                     : resident_blocks(kernel);
  return loaded(kernel) / blocks * std::min(resident, product(kernel.grid));
}

}  // namespace xpose
