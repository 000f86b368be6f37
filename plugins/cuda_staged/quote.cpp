#include "quote.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>

#include "../kit/matrices.hpp"

namespace staged {
namespace {

// Bytes a second, see NOTES.md. A quote does not know whether buffers will be pinned, and predicts
// for those that are not: threads copy every byte into a slot and another out of one.
constexpr double kLink = 50e9;  // of PCIe 5 with 16 lanes, each way, both ways at once
constexpr double kThreadCopies = 10e9, kThreadsCopyAtMost = 46e9;
// The memory of a small and of a large host delivers so much to the fastest copy, both ways.
constexpr double kSmallHost = 60e9, kLargeHost = 120e9;
constexpr uint32_t kSmallHostThreads = 4;
// Until the driver has started and the slots are there. The first launch pays for it.
constexpr double kBeginSeconds = 0.5;
// Keeps the figure within its type: no strategy is a million times slower than a copy.
constexpr double kMostPercent = 1e8;

bool exists(const char* file) { return access(file, F_OK) == 0; }

std::string find_no_gpu() {
  if (!exists("/dev/nvidiactl") && !exists("/dev/dxg"))  // the second: Windows' Linux
    return "this machine shows no GPU of NVIDIA: there is no /dev/nvidiactl (containers get it by "
           "--gpus)";
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (visible != nullptr && (*visible == '\0' || std::string_view(visible).starts_with("-1")))
    return "this machine shows no GPU: CUDA_VISIBLE_DEVICES hides all";
  return {};
}

}  // namespace

const std::string& no_gpu() {
  static const auto& reason = *new std::string(find_no_gpu());  // for quotes while the process ends
  return reason;
}

xpose::plugin::Demand demand_of(const xpose_problem& problem, const Tiling& tiling) {
  const auto bytes = static_cast<double>(xpose::plugin::bytes_of(problem));
  const uint32_t threads = std::max(problem.multiprocessors, 1U);
  const double copies = std::min(threads * kThreadCopies, kThreadsCopyAtMost);
  const double ends = static_cast<double>(2 * tiling.strip_bytes()) / kLink;
  const double seconds = kBeginSeconds + ends + std::max(bytes / kLink, 2 * bytes / copies);
  const double roof = 2 * bytes / (threads <= kSmallHostThreads ? kSmallHost : kLargeHost);
  const double percent = std::clamp(100 * (seconds / roof - 1), 0.0, kMostPercent);
  const Tile& tile = tiling.full();
  const auto run = [&](int64_t elements) {
    return static_cast<uint64_t>(elements * problem.element_bytes);
  };
  return {.load_run = run(tile.cols),
          .store_run = run(tile.rows),
          .slower_percent = static_cast<uint32_t>(percent),
          .traits = XPOSE_QUOTE_UNCACHED_STORES};
}

}  // namespace staged
