#include "device/control_groups.hpp"

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>

namespace xpose {
namespace {

// Files are named by text: where memory runs out while a path of libstdc++ 12 changes, it frees a
// part twice.

// A hierarchy of groups, as it is mounted here.
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
std::vector<Hierarchy> hierarchies(const std::string& root, const char* controller) {
  std::vector<Hierarchy> found;
  std::ifstream mounts(root + "/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    const auto dash = line.find(" - cgroup");
    if (dash == std::string::npos) continue;
    const auto mount = fields(line.substr(0, dash), ' ');
    const auto file_system = fields(line.substr(dash + 3), ' ');
    if (mount.size() < 5 || file_system.size() < 3) continue;
    const bool is_v2 = file_system[0] == "cgroup2";
    if (is_v2 || (file_system[0] == "cgroup" && lists(file_system[2], controller)))
      found.push_back({is_v2, mount[3], root + mount[4]});
  }
  return found;
}

// The group of this process in a hierarchy, see cgroups(7): "4:memory:/group", of v2 "0::/group".
std::optional<std::string> own_group(const std::string& root, bool is_v2, const char* controller) {
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (is_v2 ? line.starts_with("0::") : lists(controllers, controller))
      return line.substr(second + 1);
  }
  return std::nullopt;
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

std::vector<ControlGroup> control_groups(const char* controller,
                                         const std::filesystem::path& root) {
  std::vector<ControlGroup> groups;
  const std::string machine = root == "/" ? "" : root.string();
  for (const Hierarchy& hierarchy : hierarchies(machine, controller)) {
    const auto group = own_group(machine, hierarchy.is_v2, controller);
    if (!group) continue;
    for (std::string folder = folder_of(hierarchy, *group);; folder.resize(folder.rfind('/'))) {
      groups.push_back({folder, hierarchy.is_v2});
      if (folder.size() <= hierarchy.mounted_at.size()) break;
    }
  }
  return groups;
}

}  // namespace xpose
