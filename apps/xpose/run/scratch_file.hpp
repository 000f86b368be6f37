// A file between two passes: written in the order of its bytes, then read in pieces. It has no name
// where the file system can do without, and goes with the process; or it is kept for the next one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "output/temporary_file.hpp"
#include "run/direct_writes.hpp"
#include "run/input_file.hpp"

namespace xpose::app {

// [one thread at a time writes; any thread reads what is written]
class ScratchFile {
 public:
  // Where the scratch file of an output belongs: beside it, or where a stream's bytes are kept.
  static std::filesystem::path folder_beside(const std::filesystem::path& output);

  struct Size {
    std::uint64_t bytes = 0;
    std::uint64_t others = 0;      // that other files of the folder will take
    std::uint64_t most_dirty = 0;  // that may wait for the disk at once
  };
  // kept_for: the output of a run that can be resumed; the file is kept_name() then, and may be
  // there. Throws std::runtime_error that names the folder, also where it has no room, and
  // where a kept file is another process's or another user's.
  ScratchFile(const std::filesystem::path& folder, const Size& size,
              const std::optional<std::filesystem::path>& kept_for = {});

  // ".b.npy.xpose-scratch" beside the output b.npy. In another folder the name has the number of
  // the output's folder besides, since outputs of several folders may have one name.
  static std::filesystem::path kept_name(const std::filesystem::path& folder,
                                         const std::filesystem::path& kept_for);

  // Throws std::runtime_error where a scratch file cannot be made there.
  static void check_folder(const std::filesystem::path& folder);

  // Removes a kept one that a run has left.
  static void remove_kept(const std::filesystem::path& folder,
                          const std::filesystem::path& kept_for);

  const std::string& name() const { return name_; }

  // Has long ranges written and read past the page cache from now on, where the file system has
  // that: the cache is left to others. The buffers count as bytes that wait for the disk.
  void open_direct();

  // Writes behind what has been written. Throws std::runtime_error.
  void write(std::span<const std::byte> bytes);

  // A kept file ends with a word at random that is another one for each run that begins, so that a
  // run knows its own file again. Both throw std::runtime_error.
  std::string mark() const;
  void set_mark();

  // The first bytes, so many, are those of an earlier process.
  void go_on(std::uint64_t bytes) { end_ = sent_ = waited_ = bytes; }

  void stay() { file_.stay(); }  // a kept file outlives this process from now on
  void go() { file_.go(); }      // and is removed with this

  // A wait until all that has been written by now is on the disk. Of a kept file. It throws
  // std::runtime_error. [any thread, beside the one that writes]
  std::function<void()> flushing() const;

  // The bytes from the beginning on.
  const InputFile& written() const { return written_; }

  // Throws std::runtime_error where the disk failed to take what was written.
  void check() const;

 private:
  void write_cached(std::span<const std::byte> bytes);
  void send();
  void sync(std::uint64_t begin, std::uint64_t end, unsigned flags) const;

  std::string name_;
  TemporaryFile file_;
  InputFile written_;
  // A kept file, opened once more: an error of the disk is told once to each of those that opened
  // it, and the thread that writes may hear of it first.
  FileDescriptor flushed_;
  DirectWrites direct_;
  Size size_;
  std::uint64_t end_ = 0;
  std::uint64_t sent_ = 0;    // to the disk, from the beginning
  std::uint64_t waited_ = 0;  // for the disk
};

}  // namespace xpose::app
