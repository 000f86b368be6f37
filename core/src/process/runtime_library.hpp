// Shared libraries that are opened when they are first needed.
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

// Declares a struct of functions of a library, members by their names, that is made from it.
// FUNCTIONS is a macro that applies its parameter to each name; where a header renames a function
// to its newest version, the name follows.
// NOLINTBEGIN(bugprone-macro-parentheses): names, not expressions
#define XPOSE_FUNCTION_TEXT(name) #name
#define XPOSE_FUNCTION_MEMBER(name) decltype(&::name) name = nullptr;
#define XPOSE_FUNCTION_LOAD(name) \
  name = reinterpret_cast<decltype(name)>(library.function(XPOSE_FUNCTION_TEXT(name)));
#define XPOSE_FUNCTIONS_OF_LIBRARY(Struct, FUNCTIONS)                                 \
  struct Struct {                                                                     \
    FUNCTIONS(XPOSE_FUNCTION_MEMBER)                                                  \
    explicit Struct(const RuntimeLibrary& library) { FUNCTIONS(XPOSE_FUNCTION_LOAD) } \
  }
// NOLINTEND(bugprone-macro-parentheses)

// Where a library of the CUDA Toolkit may lie: as the loader finds it, then below $CUDA_HOME,
// $CUDA_PATH and /usr/local/cuda.
std::vector<std::string> toolkit_paths(const std::string& file);

}  // namespace xpose
