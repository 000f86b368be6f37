#include "device/memory_limits.hpp"

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>

#include "device/control_groups.hpp"

namespace xpose {
namespace {

// Nothing for "max", and where there is no such file.
std::optional<std::uint64_t> number_in(const std::string& file) {
  std::ifstream stream(file);
  std::uint64_t number = 0;
  if (stream >> number) return number;
  return std::nullopt;
}

// Bytes of cached files in a group and those below it.
std::uint64_t cached_files(const std::string& group, bool is_v2) {
  const std::string prefix = is_v2 ? "" : "total_";
  std::uint64_t bytes = 0;
  std::ifstream statistics(group + "/memory.stat");
  std::string name;
  for (std::uint64_t value = 0; statistics >> name >> value;)
    if (name == prefix + "inactive_file" || name == prefix + "active_file") bytes += value;
  return bytes;
}

std::uint64_t left_in(const std::string& group, bool is_v2) {
  std::uint64_t limit = kNoMemoryLimit;
  for (const char* file : {"/memory.max", "/memory.high", "/memory.limit_in_bytes"})
    limit = std::min(limit, number_in(group + file).value_or(kNoMemoryLimit));
  // Of v1, no limit is the largest multiple of a page that is no negative number.
  if (limit > kNoMemoryLimit / 4) return kNoMemoryLimit;
  const std::uint64_t used =
      number_in(group + (is_v2 ? "/memory.current" : "/memory.usage_in_bytes")).value_or(0);
  const std::uint64_t taken = used - std::min(used, cached_files(group, is_v2));
  return limit - std::min(limit, taken);
}

}  // namespace

std::uint64_t memory_left_by_groups(const std::filesystem::path& root) {
  std::uint64_t left = kNoMemoryLimit;
  for (const ControlGroup& group : control_groups("memory", root))
    left = std::min(left, left_in(group.folder, group.is_v2));
  return left;
}

}  // namespace xpose
