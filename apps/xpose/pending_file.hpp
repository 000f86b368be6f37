// An output that appears under its name only when it is complete.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "file_descriptor.hpp"

namespace xpose::app {

// A file under a temporary name beside its target, "TARGET.xpose-XXXXXX", that commit() renames
// over the target and the destructor removes otherwise. One at a time in a process.
class PendingFile {
 public:
  // Throws std::runtime_error naming the target where its folder is missing or cannot be written
  // to, and where it is a folder or a device.
  explicit PendingFile(const std::filesystem::path& target);
  PendingFile(const PendingFile&) = delete;  // owns
  PendingFile& operator=(const PendingFile&) = delete;
  ~PendingFile();

  int fd() const { return file_.get(); }
  const std::filesystem::path& target() const { return target_; }  // symbolic links followed
  void write(std::string_view text);  // all of it. Throws std::runtime_error naming the target.

  // Puts the bytes on the disk and the file in its place. A file that was there lends its
  // permissions; a new one gets the umask's. Throws std::runtime_error naming the target.
  void commit();

 private:
  std::filesystem::path target_;
  mode_t mode_;
  std::string path_;  // empty once renamed
  FileDescriptor file_;
};

// Removes the temporary file of the one PendingFile, if there is one. [signal safe]
void unlink_pending_output() noexcept;

}  // namespace xpose::app
