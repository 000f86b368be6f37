#include "process/environment.hpp"

#include <dlfcn.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include "xpose/xpose.hpp"

namespace xpose {

bool is_privileged() {
  return ::getauxval(AT_SECURE) != 0 || ::getuid() != ::geteuid() || ::getgid() != ::getegid();
}

const char* environment(const char* name) {
  const char* value = is_privileged() ? nullptr : std::getenv(name);
  return value == nullptr || *value == '\0' ? nullptr : value;
}

std::vector<std::filesystem::path> folders_of(std::string_view path) {
  std::vector<std::filesystem::path> folders;
  while (!path.empty()) {
    const std::size_t colon = std::min(path.find(':'), path.size());
    if (colon != 0) folders.emplace_back(path.substr(0, colon));
    path.remove_prefix(std::min(colon + 1, path.size()));
  }
  return folders;
}

std::filesystem::path installed_folder() {
  Dl_info self{};
  if (::dladdr(reinterpret_cast<const void*>(&installed_folder), &self) == 0 ||
      self.dli_fname == nullptr)
    return {};
  std::error_code error;
  const auto library = std::filesystem::canonical(self.dli_fname, error);
  return error ? std::filesystem::path() : library.parent_path() / "xpose";
}

}  // namespace xpose
