#include "device/processor_limits.hpp"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string>

#include "device/control_groups.hpp"

namespace xpose {
namespace {

// Microseconds of all processors together in each period.
struct Quota {
  std::int64_t time = -1;  // not positive: no limit
  std::int64_t period = 0;
};

// None where a file is not there, or says "max".
Quota quota_of(const ControlGroup& group) {
  Quota quota;
  if (group.is_v2) {
    std::ifstream(group.folder + "/cpu.max") >> quota.time >> quota.period;
  } else {
    std::ifstream(group.folder + "/cpu.cfs_quota_us") >> quota.time;
    std::ifstream(group.folder + "/cpu.cfs_period_us") >> quota.period;
  }
  return quota;
}

}  // namespace

unsigned processors_by_groups(const std::filesystem::path& root) {
  unsigned processors = kNoProcessorLimit;
  for (const ControlGroup& group : control_groups("cpu", root)) {
    const Quota quota = quota_of(group);
    if (quota.time <= 0 || quota.period <= 0) continue;
    const std::int64_t whole = std::max<std::int64_t>(1, quota.time / quota.period);
    processors = static_cast<unsigned>(std::min<std::int64_t>(processors, whole));
  }
  return processors;
}

}  // namespace xpose
