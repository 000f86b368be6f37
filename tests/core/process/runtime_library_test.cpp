#include "process/runtime_library.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "process/steps.hpp"

namespace xpose {
namespace {

std::string denial(const std::vector<std::string>& paths, const char* function = nullptr) {
  try {
    const RuntimeLibrary library("The thing", paths, "install it");
    if (function != nullptr) (void)library.function(function);
  } catch (const Denial& e) {
    return e.text;
  }
  return "";
}

TEST(RuntimeLibrary, OpensTheFirstThatIsThere) {
  const RuntimeLibrary library("Mathematics", {"/no/where/libm.so.6", "libm.so.6"}, "");
  EXPECT_EQ(library.path(), "libm.so.6");
  using Function = double (*)(double);
  EXPECT_EQ(reinterpret_cast<Function>(library.function("floor"))(2.5), 2.0);
}

TEST(RuntimeLibrary, SaysWhereItLookedAndWhatToDo) {
  EXPECT_EQ(denial({"libnowhere.so.1", "/no/where/libnowhere.so.1"}),
            "The thing not found: libnowhere.so.1, /no/where/libnowhere.so.1; install it");
}

TEST(RuntimeLibrary, SaysWhyOneThatIsThereCannotBeOpened) {
  const std::string path = testing::TempDir() + "xpose_no_library.so";
  std::ofstream(path) << "no library at all";
  const std::string text = denial({"libnowhere.so.1", path});
  EXPECT_EQ(text.rfind("The thing cannot be opened: " + path, 0), 0U) << text;
  EXPECT_NE(text.find("; install it"), std::string::npos) << text;
  std::remove(path.c_str());
}

TEST(RuntimeLibrary, SaysWhichFunctionIsMissing) {
  EXPECT_EQ(denial({"libm.so.6"}, "no_such_function"),
            "The thing: libm.so.6 has no no_such_function; install it");
}

TEST(ToolkitPaths, FollowTheEnvironmentWhereItNamesAnAbsoluteFolder) {
  ::setenv("CUDA_HOME", "/opt/toolkit", 1);
  ::setenv("CUDA_PATH", "relative", 1);
  const std::vector<std::string> paths = toolkit_paths("libcupti.so.13");
  ::unsetenv("CUDA_HOME");
  ::unsetenv("CUDA_PATH");
  EXPECT_EQ(paths.front(), "libcupti.so.13");
  const auto has = [&](const char* path) {
    return std::find(paths.begin(), paths.end(), path) != paths.end();
  };
  EXPECT_TRUE(has("/opt/toolkit/extras/CUPTI/lib64/libcupti.so.13"));
  EXPECT_TRUE(has("/usr/local/cuda/lib64/libcupti.so.13"));
  EXPECT_TRUE(std::all_of(paths.begin() + 1, paths.end(),
                          [](const std::string& path) { return path.front() == '/'; }));
}

}  // namespace
}  // namespace xpose
