// Whether two names lead to one file.
#pragma once

#include <sys/stat.h>

#include <filesystem>

namespace xpose::app {

inline bool are_one(const struct stat& one, const struct stat& other) {
  return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

// Of files that are there or not; links are followed.
bool are_one(const std::filesystem::path& one, const std::filesystem::path& other);

}  // namespace xpose::app
