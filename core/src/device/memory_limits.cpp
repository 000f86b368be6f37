#include "device/memory_limits.hpp"

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace xpose {
namespace {

// Files are named by text: where memory runs out while a path of libstdc++ 12 changes, it frees a
// part twice.

// A hierarchy of groups that accounts for memory, as it is mounted here.
struct Hierarchy {
  bool is_v2 = false;
  std::string top;         // the group that is mounted
  std::string mounted_at;  // where
};

std::vector<std::string> fields(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

bool lists(const std::string& options, const char* wanted) {
  return std::ranges::count(fields(options, ','), wanted) != 0;
}

// See proc_pid_mountinfo(5): "36 35 98:0 /top /mounted/at options ... - type source super-options".
std::vector<Hierarchy> hierarchies(const std::string& root) {
  std::vector<Hierarchy> found;
  std::ifstream mounts(root + "/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    const auto dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    const auto mount = fields(line.substr(0, dash), ' ');
    const auto file_system = fields(line.substr(dash + 3), ' ');
    if (mount.size() < 5 || file_system.size() < 3) continue;
    const bool is_v2 = file_system[0] == "cgroup2";
    if (is_v2 || (file_system[0] == "cgroup" && lists(file_system[2], "memory")))
      found.push_back({is_v2, mount[3], root + mount[4]});
  }
  return found;
}

// The group of this process in a hierarchy, see cgroups(7): "4:memory:/group", of v2 "0::/group".
std::optional<std::string> own_group(const std::string& root, bool is_v2) {
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (is_v2 ? line.starts_with("0::") : lists(controllers, "memory"))
      return line.substr(second + 1);
  }
  return std::nullopt;
}

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

// The folder of the group below the mounted one. A group that is not below it, since a container
// sees its own part of the hierarchy alone, is the mounted one itself.
std::string folder_of(const Hierarchy& hierarchy, const std::string& group) {
  const std::string top = hierarchy.top == "/" ? "" : hierarchy.top;
  const bool is_below = group.starts_with(top + '/') && group.find("/..") == std::string::npos;
  if (!is_below || group.size() == top.size() + 1) return hierarchy.mounted_at;
  return hierarchy.mounted_at + group.substr(top.size());
}

}  // namespace

std::uint64_t memory_left_by_groups(const std::filesystem::path& root) {
  std::uint64_t left = kNoMemoryLimit;
  const std::string machine = root == "/" ? "" : root.string();
  for (const Hierarchy& hierarchy : hierarchies(machine)) {
    const auto group = own_group(machine, hierarchy.is_v2);
    if (!group) continue;
    for (std::string folder = folder_of(hierarchy, *group);; folder.resize(folder.rfind('/'))) {
      left = std::min(left, left_in(folder, hierarchy.is_v2));
      if (folder.size() <= hierarchy.mounted_at.size()) break;
    }
  }
  return left;
}

}  // namespace xpose
