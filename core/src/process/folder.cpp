#include "process/folder.hpp"

#include <dirent.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <new>

namespace xpose {
namespace {

namespace fs = std::filesystem;

struct Close {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

}  // namespace

std::vector<fs::path> names_in(const fs::path& folder, std::error_code& error) {
  std::vector<fs::path> names;
  const std::unique_ptr<DIR, Close> opened(::opendir(folder.c_str()));
  for (const dirent* entry = nullptr; opened != nullptr;) {
    errno = 0;
    if (entry = ::readdir(opened.get()); entry == nullptr) break;
    if (const fs::path name = static_cast<const char*>(entry->d_name); name != "." && name != "..")
      names.push_back(name);
  }
  error = {errno, std::generic_category()};
  if (error == std::errc::not_enough_memory) throw std::bad_alloc();
  std::ranges::sort(names);
  return names;
}

}  // namespace xpose
