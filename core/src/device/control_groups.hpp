// The control groups that this process is in.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace xpose {

struct ControlGroup {
  std::string folder;  // of its files
  bool is_v2 = false;
};

// Its own group and those above it, as far as they are mounted here: of cgroup v1 those of the
// controller, such as "memory", and of v2 all. `root` stands for "/". [any thread]
std::vector<ControlGroup> control_groups(const char* controller,
                                         const std::filesystem::path& root = "/");

}  // namespace xpose
