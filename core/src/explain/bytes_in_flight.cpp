#include "explain/bytes_in_flight.hpp"

#include <algorithm>
#include <cmath>

namespace xpose {

std::uint64_t resident_warps(const Residency& residency) {
  const std::uint64_t room =
      std::uint64_t{residency.blocks_per_multiprocessor} * residency.multiprocessors;
  return std::min(residency.blocks, room) * residency.warps_per_block;
}

std::uint64_t bytes_in_flight(const Residency& residency, std::uint64_t load_bytes,
                              std::uint64_t waits) {
  const std::uint64_t resident = resident_warps(residency);
  if (resident == 0 || waits == 0) return 0;
  const double warps = static_cast<double>(residency.blocks) * residency.warps_per_block;
  const double of_a_warp = static_cast<double>(load_bytes) / warps / static_cast<double>(waits);
  return static_cast<std::uint64_t>(std::llround(static_cast<double>(resident) * of_a_warp));
}

std::uint64_t bytes_needed_in_flight(double bytes_per_second, double latency_seconds) {
  return static_cast<std::uint64_t>(std::llround(bytes_per_second * latency_seconds));
}

}  // namespace xpose
