// A file between two passes: written in the order of its bytes, then read in pieces. It has no name
// where the file system can do without, and goes with the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "output/temporary_file.hpp"
#include "run/input_file.hpp"

namespace xpose::app {

// [one thread at a time writes; any thread reads what is written]
class ScratchFile {
 public:
  // Where the scratch file of an output belongs: beside it, or where a stream's bytes are kept.
  static std::filesystem::path folder_beside(const std::filesystem::path& output);

  // others: bytes that other files of the folder will take. most_dirty: bytes that may wait for the
  // disk at once. Throws std::runtime_error that names the folder, also where it has no room for
  // that many bytes.
  ScratchFile(const std::filesystem::path& folder, std::uint64_t bytes, std::uint64_t others,
              std::uint64_t most_dirty);

  const std::string& name() const { return name_; }

  // Writes behind what has been written. Throws std::runtime_error.
  void write(std::span<const std::byte> bytes);

  // The bytes from the beginning on.
  const InputFile& written() const { return written_; }

  // Throws std::runtime_error where the disk failed to take what was written.
  void check() const;

 private:
  void send();
  void sync(std::uint64_t begin, std::uint64_t end, unsigned flags) const;

  std::string name_;
  TemporaryFile file_;
  InputFile written_;
  std::uint64_t most_dirty_;
  std::uint64_t end_ = 0;
  std::uint64_t sent_ = 0;    // to the disk, from the beginning
  std::uint64_t waited_ = 0;  // for the disk
};

}  // namespace xpose::app
