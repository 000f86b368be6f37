#include "worker/kernel_kills.hpp"

#include <fstream>
#include <string>

namespace xpose {

std::optional<std::uint64_t> kernel_kills() {
  std::ifstream file("/proc/vmstat");
  std::string name;
  for (std::uint64_t value = 0; file >> name >> value;)
    if (name == "oom_kill") return value;
  return std::nullopt;
}

}  // namespace xpose
