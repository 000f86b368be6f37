// Buffers that a disk reads from and writes to without a copy.
#pragma once

#include <cstddef>
#include <span>

namespace xpose::app {

// All of one size, whole pages. None where there is no memory for all of them. The memory stays
// with the thread, for its next buffers, until it ends: an allocator that gives and takes so much
// aligned memory again and again is soon in pieces. [a thread: one at a time]
class SectorBuffers {
 public:
  SectorBuffers(std::size_t count, std::size_t bytes);

  explicit operator bool() const { return memory_ != nullptr; }
  std::span<std::byte> operator[](std::size_t i) const { return {memory_ + i * bytes_, bytes_}; }

 private:
  std::size_t bytes_;
  std::byte* memory_;
};

}  // namespace xpose::app
