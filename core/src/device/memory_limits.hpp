// The memory that the control groups of this process leave it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>

namespace xpose {

inline constexpr std::uint64_t kNoMemoryLimit = std::numeric_limits<std::uint64_t>::max();

// Bytes that this process may still take before a group that it is in, or one above that, reaches
// its limit: cgroup v2 (memory.max, memory.high), v1 (memory.limit_in_bytes), or both. Cached files
// count as free, because the kernel gives them up first. kNoMemoryLimit where no group has one.
// `root` stands for "/". [any thread]
std::uint64_t memory_left_by_groups(const std::filesystem::path& root = "/");

}  // namespace xpose
