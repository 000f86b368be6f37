// Pieces of a file that are written past the page cache, many at once: a disk takes them sooner
// than pages that are first copied into memory, and the cache is left to others.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "output/file_descriptor.hpp"
#include "run/band_plan.hpp"
#include "run/ring.hpp"

namespace xpose::app {

// Bytes of memory and their place in a file, both of whole sectors. What other pieces have of the
// first and of the last of these is here too.
struct Sectors {
  std::uint64_t offset = 0;
  std::span<const std::byte> bytes;
  std::vector<std::byte> before = {}, behind = {};  // less than a sector each

  std::size_t size() const { return before.size() + bytes.size() + behind.size(); }
  void copy_to(std::byte* to) const;
  void drop(std::size_t count);  // from the beginning; whole sectors
};

// [one thread at a time]
class DirectWrites {
 public:
  static constexpr std::size_t kSector = BandPlan::kPage;
  static constexpr std::size_t kBufferBytes = std::size_t{256} << 10;  // of the longest transfer
  // Ranges whose ends go through the cache do so as a whole if they are shorter.
  static constexpr std::uint64_t kLeastBytes = kBufferBytes;

  using Write = ssize_t (*)(int fd, const void* from, std::size_t bytes, off_t offset);
  explicit DirectWrites(Write write = ::pwrite, MakeRing make_ring = app::make_ring)
      : write_(write), make_ring_(make_ring) {}

  // fd: of the file. Buffers take so many bytes at most, but there is one at least. False where the
  // file system has no such writes.
  bool open(int fd, std::uint64_t most_memory);

  bool is_open() const { return file_.get() >= 0; }
  std::uint64_t memory() const { return buffers_ * kBufferBytes; }  // of the buffers

  // The whole sectors of a range that is to be written past the cache; else an empty range at its
  // end.
  ByteRange part_of(const ByteRange& range) const;

  // Writes all pieces, by a ring, or by several threads where it is refused and there are threads
  // to be had. Leaves in `pieces` those that are to be written in another way: the file system
  // refuses them, which closes this, or there is no memory for a buffer. Returns 0, or the errno of
  // a write that failed.
  int write(std::vector<Sectors>& pieces);

 private:
  Write write_;
  MakeRing make_ring_;
  FileDescriptor file_;
  std::size_t buffers_ = 0;
};

}  // namespace xpose::app
