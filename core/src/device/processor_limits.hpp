// The processors whose time the control groups of this process leave it.
#pragma once

#include <filesystem>
#include <limits>

namespace xpose {

inline constexpr unsigned kNoProcessorLimit = std::numeric_limits<unsigned>::max();

// The processors that threads can keep busy all the time before a group that this process is in, or
// one above that, reaches its quota: cgroup v2 (cpu.max), v1 (cpu.cfs_quota_us), or both. At least
// one, and no fraction: threads beyond it stand still together. kNoProcessorLimit where no group
// has a quota. `root` stands for "/". [any thread]
unsigned processors_by_groups(const std::filesystem::path& root = "/");

}  // namespace xpose
