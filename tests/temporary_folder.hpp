// A folder of a test's own, which goes with it.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <stdexcept>
#include <string>

namespace xpose {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    // Canonical: plugins are named by where they lie.
    std::string name =
        (std::filesystem::canonical(std::filesystem::temp_directory_path()) / "xpose_test_XXXXXX")
            .string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed: " + name);
    path_ = name;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;  // owns the folder on disk
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace xpose
