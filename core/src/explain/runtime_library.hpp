// Shared libraries that are used where they are found.
#pragma once

#include <string>
#include <vector>

namespace xpose {

// Opens the first of `paths` (absolute, or a bare name that the loader looks for) that can be, for
// the rest of the process: what a profiler hooks must not go away. Throws Denial: `what` it is
// for, where it was looked for or why one that is there cannot be opened, and the `remedy`.
// [any thread]
class RuntimeLibrary {
 public:
  RuntimeLibrary(std::string what, const std::vector<std::string>& paths, std::string remedy);

  // Never null; throws Denial where the library has no such function.
  void* function(const char* name) const;
  const std::string& path() const { return path_; }

 private:
  std::string what_;
  std::string remedy_;
  void* handle_ = nullptr;
  std::string path_;  // as it was in `paths`
};

// Where a library of the CUDA Toolkit may lie: as the loader finds it, then below $CUDA_HOME,
// $CUDA_PATH and /usr/local/cuda.
std::vector<std::string> toolkit_paths(const std::string& file);

}  // namespace xpose
