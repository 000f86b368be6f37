// What tests of plugin files and their folders share: a folder with a plugin, and why one is
// refused.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "../../temporary_folder.hpp"
#include "plugin/plugin_file.hpp"

namespace xpose {

inline std::string refusal_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Refusal& refusal) {
    return refusal.why;
  }
  return "";
}

inline std::string refusal_of_file(const std::filesystem::path& file) {
  return refusal_of([&] { PluginFile::open(file); });
}

inline std::string refusal_of_folder(const std::filesystem::path& folder) {
  return refusal_of([&] { PluginFolder{folder}; });
}

inline std::string lies_in(const std::filesystem::path& folder, const std::string& problem) {
  return "lies in " + folder.string() + ", which " + problem;
}

inline void write(const std::filesystem::path& file, const std::string& content) {
  std::ofstream(file, std::ios::binary) << content;
}

inline std::string read(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator(in), {}};
}

inline void set_mode(const std::filesystem::path& path, mode_t mode) {
  ASSERT_EQ(chmod(path.c_str(), mode), 0);
}

// TOP/plugins/one.so, which nobody but its owner can write.
class PluginFileTest : public testing::Test {
 protected:
  PluginFileTest() {
    std::filesystem::create_directory(folder());
    set_mode(folder(), 0755);
    write(file(), "a plugin\n");
    set_mode(file(), 0644);
  }
  std::filesystem::path folder() const { return top / "plugins"; }
  std::filesystem::path file() const { return folder() / "one.so"; }

  const TemporaryFolder temporary;
  const std::filesystem::path top = temporary.path();
};

}  // namespace xpose
