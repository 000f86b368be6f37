// An output that appears under its name only when it is complete.
#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

#include "output/temporary_file.hpp"

namespace xpose::app {

// A temporary file beside its target, which commit() puts in the target's place.
class PendingFile {
 public:
  // Throws std::runtime_error naming the target where its folder is missing or cannot be written
  // to, where its name is empty or too long, and where it is a folder or a device.
  explicit PendingFile(const std::filesystem::path& target,
                       TemporaryFile::Kind kind = TemporaryFile::Kind::nameless);

  // The file that an output of that name replaces or makes: symbolic links are followed. Throws as
  // the constructor does.
  static std::filesystem::path resolved(const std::filesystem::path& target);

  int fd() const { return file_.fd(); }
  const std::filesystem::path& target() const { return target_; }  // symbolic links followed
  void write(std::string_view text);  // all of it. Throws std::runtime_error naming the target.

  // Of a file that is kept: it outlives this process from now on, or goes with it.
  void stay() { file_.stay(); }
  void go() { file_.go(); }

  // Puts the bytes on the disk and the file in its place. A file that was there lends its
  // permissions, and its owner where this user may give files away; a new one has the umask's.
  // placed: called as soon as it is there. Throws std::runtime_error naming the target.
  void commit(const std::function<void()>& placed = {});

 private:
  std::filesystem::path target_;
  TemporaryFile file_;
};

}  // namespace xpose::app
