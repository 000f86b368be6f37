// A file of known size that is written once, in pieces, and goes to the disk as it is written.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "output/pending_file.hpp"
#include "run/band_plan.hpp"
#include "run/direct_writes.hpp"
#include "run/page_edges.hpp"

namespace xpose::app {

// Its room on the disk is reserved when it is made. [one thread at a time]
class OutputFile {
 public:
  // Target "-", the standard output, and a named pipe, whose reader is waited for, are streams:
  // they take writes in their order alone. most_dirty: bytes that may wait for the disk at once; a
  // page cache that is full of them would stop everybody else. Throws std::runtime_error naming the
  // target as PendingFile does, and where there is no room for that many bytes.
  // kind: of a file. One that is kept has its bytes of an earlier run.
  OutputFile(const std::filesystem::path& target, std::uint64_t bytes, std::uint64_t most_dirty,
             TemporaryFile::Kind kind);

  // A stream whose bytes will not come in their order: they are kept in a temporary file until
  // commit(). Before the first write. Throws std::runtime_error, also where there is no room for
  // all of them.
  void keep();

  // Writes the bytes at that place, and sends pages that they complete to the disk. Throws
  // std::runtime_error naming the target.
  void write(std::uint64_t offset, std::span<const std::byte> bytes, const Neighbours& written);

  // Has ranges written past the page cache from now on, if their writer asks for it, and other
  // pages leave it once they are on the disk. False where the file system does not. The buffers
  // and the edges count as bytes that wait for the disk.
  bool open_direct();

  // The sectors of a range that write_direct() takes, which may be none.
  ByteRange direct_part_of(const ByteRange& range) const { return direct_.part_of(range); }

  // Where pieces leave the parts of pages that they share, so that whole pages go past the page
  // cache. Nothing where they go through it, and of a file that is kept: its pages would lack what
  // is not written yet whenever this process ends.
  PageEdges* edges() { return joins_ && direct_.is_open() ? &edges_ : nullptr; }

  // Writes the sectors past the page cache, or as write() does where that is refused. Throws
  // std::runtime_error naming the target.
  void write_direct(std::vector<Sectors> pieces);

  bool is_stream() const { return !file_; }
  static bool is_stream(const std::filesystem::path& target);

  // A wait until all that has been written by now is on the disk. Of a file that is kept. It throws
  // std::runtime_error naming the target. [any thread, beside the one that writes]
  std::function<void()> flushing() const;

  // A file that is kept outlives this process from now on, or goes with it.
  void stay() { file_->stay(); }
  void go() { file_->go(); }

  struct stat status() const;  // of a file

  // Puts the rest on the disk and the file in its place. placed: called as soon as it is there.
  // Throws std::runtime_error naming the target.
  void commit(const std::function<void()>& placed = {});

 private:
  void write_kept();
  void send(const ByteRange& pages);
  void wait_for_first();
  void sync(int fd, const ByteRange& range, unsigned flags) const;

  bool is_kept() const { return spool_.get() >= 0; }
  int fd() const { return file_ ? file_->fd() : is_kept() ? spool_.get() : stream_.get(); }

  std::string name_;
  FileDescriptor stream_;
  FileDescriptor spool_;             // of a stream
  std::optional<PendingFile> file_;  // none: a stream
  // The file that is kept, opened once more: an error of the disk is told once to each of those
  // that opened it, and the thread that writes may hear of it first.
  FileDescriptor flushed_;
  DirectWrites direct_;
  bool joins_ = false;
  PageEdges edges_;
  std::uint64_t bytes_;
  std::uint64_t most_dirty_;
  std::uint64_t dirty_ = 0;  // bytes of:
  std::deque<ByteRange> sent_;
};

}  // namespace xpose::app
