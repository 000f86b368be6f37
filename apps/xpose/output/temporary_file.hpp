// A file that has no name until it is complete, so that no signal leaves anything of it; or one
// that is kept, so that the next process goes on with it.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "output/file_descriptor.hpp"

namespace xpose::app {

// Where the file system has files without a name, the kernel removes it with the process. Elsewhere
// it has one, ".xpose-" and six letters, and is locked while its owner lives: the next of them in
// the folder that needs a name removes those that nobody locks. [one thread at a time]
class TemporaryFile {
 public:
  // nameless: where that is possible. kept: has kept_name(), may be there with the bytes of an
  // earlier process, and outlives this one if it was, or by stay(), unless it is to go().
  enum class Kind { nameless, named, kept };

  // ".b.npy.xpose-part" beside b.npy; kept_for: another word than "part".
  static std::filesystem::path kept_name(const std::filesystem::path& target,
                                         std::string_view kept_for = "part");

  // Throws std::runtime_error naming `target`, for which it is, where the folder is missing or
  // cannot be written to, and where a kept file is another process's or another user's.
  TemporaryFile(const std::filesystem::path& target, Kind kind = Kind::nameless,
                std::string_view kept_for = "part");
  TemporaryFile(const TemporaryFile&) = delete;  // owns
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile();

  int fd() const { return file_.get(); }
  bool has_name() const { return !name_.empty(); }

  void stay() { stays_ = is_kept_; }  // outlives this process
  void go() { stays_ = false; }       // is removed with this

  // Gives the file the target's name, in place of a file that has it. placed: called then, before a
  // signal ends this thread. Throws std::runtime_error.
  void put_in_place(const std::function<void()>& placed = {});

 private:
  bool create_nameless();
  void create_named();
  void create_kept(std::string_view kept_for);
  bool lock_kept();  // false: it has lost its name meanwhile
  std::string path_of_descriptor() const;
  bool link_as(const std::filesystem::path& name);  // false: there is such a file
  void link_named();

  std::filesystem::path target_;
  std::filesystem::path folder_;
  std::filesystem::path name_;  // empty: none
  bool is_kept_ = false;
  bool stays_ = false;
  FileDescriptor file_;
};

// Removes those of this process that have a name. [signal safe]
void unlink_temporary_files() noexcept;

// Closes all else that the process has open; false where that is not possible. [signal safe]
bool close_all_but_temporary_files() noexcept;

}  // namespace xpose::app
