// A file that is read in pieces, at any place, by several system calls at once where it does not
// lie in memory.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "output/file_descriptor.hpp"
#include "run/transfer.hpp"

namespace xpose::app {

// A regular file, or all bytes of a pipe. Stays the same file when another is renamed over its
// path.
class InputFile {
 public:
  // "-": standard input, from where it stands. A pipe is read to its end here. Throws
  // std::runtime_error naming the path where it cannot be opened or is neither file nor pipe.
  explicit InputFile(const std::filesystem::path& path);

  // An open file of that name, from its beginning. Throws std::runtime_error.
  InputFile(FileDescriptor file, std::string name);

  const std::string& name() const { return name_; }
  const struct stat& status() const { return opened_; }  // when it was opened
  std::uint64_t bytes() const { return static_cast<std::uint64_t>(opened_.st_size) - begin_; }

  // Fills the span from that place on. Throws std::runtime_error naming the file where it cannot be
  // read or ends before. [any thread]
  void read(std::uint64_t offset, std::span<std::byte> to) const;

  // The bytes of the span that are in memory and need no waiting, from its first one on.
  std::size_t read_cached(std::uint64_t offset, std::span<std::byte> to) const;

  // Opens the file once more, for reads past the page cache, which are faster for a disk and leave
  // the cache to others. False where the file system has none.
  bool open_direct();
  bool is_direct() const { return direct_.get() >= 0; }
  int direct_fd() const { return direct_.get(); }
  std::size_t sector_bytes() const { return sector_; }  // of reads past the page cache

  // The read past the page cache that has the first bytes of a range, as many as go into a buffer
  // of 2 * kSector bytes or more, aligned to a sector.
  static constexpr std::size_t kSector = 4096;
  Transfer direct_read(std::uint64_t offset, std::size_t bytes, std::span<std::byte> buffer) const;

  // Takes bytes of the span from such a read, or as read() does where that is refused. result: the
  // bytes that it has read, or -errno. Returns how many are taken. Throws as read(). [any thread]
  std::size_t take_direct(std::uint64_t offset, std::span<std::byte> to, const Transfer& transfer,
                          ssize_t result) const;

  // Has the bytes brought into memory meanwhile.
  void ask_for(std::uint64_t offset, std::uint64_t bytes) const;

  // How much of the file lies in memory, of 1, by a few samples. Brings none of it, if this user
  // may write the file.
  double cached_share() const;

  // Throws std::runtime_error where the file has another size or time of change than when it was
  // opened.
  void check_unchanged() const;

 private:
  void expect_pieces() const;

  std::string name_;
  FileDescriptor file_;
  FileDescriptor direct_;         // the same file, read past the page cache
  std::size_t sector_ = kSector;  // of direct_
  struct stat opened_;
  std::uint64_t begin_ = 0;  // where the input begins in the file
};

}  // namespace xpose::app
