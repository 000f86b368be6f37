#include "process/runtime_library.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <utility>

#include "process/environment.hpp"
#include "process/steps.hpp"

namespace xpose {

RuntimeLibrary::RuntimeLibrary(std::string what, const std::vector<std::string>& paths,
                               std::string remedy)
    : what_(std::move(what)), remedy_(std::move(remedy)) {
  std::string looked;
  std::string broken;  // why one that is there cannot be opened
  for (const std::string& path : paths) {
    handle_ = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ != nullptr) {
      path_ = path;
      return;
    }
    const char* reason = ::dlerror();
    if (::access(path.c_str(), F_OK) == 0 && reason != nullptr) broken = reason;
    looked += (looked.empty() ? "" : ", ") + path;
  }
  throw Denial{what_ + (broken.empty() ? " not found: " + looked : " cannot be opened: " + broken) +
               "; " + remedy_};
}

void* RuntimeLibrary::function(const char* name) const {
  void* address = ::dlsym(handle_, name);
  if (address == nullptr) throw Denial{what_ + ": " + path_ + " has no " + name + "; " + remedy_};
  return address;
}

std::vector<std::string> toolkit_paths(const std::string& file) {
  std::vector<std::string> paths = {file};
  const auto below = [&](const std::string& root) {
    for (const char* folder : {"/lib64/", "/lib/", "/extras/CUPTI/lib64/"})
      paths.emplace_back(root).append(folder).append(file);
  };
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* root = environment(variable); root != nullptr && *root == '/') below(root);
  below("/usr/local/cuda");
  return paths;
}

}  // namespace xpose
