// Memory that processes of one host share. A part of <xpose/mpi.hpp>, and of the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <xpose/problem.hpp>

namespace xpose::detail {

// One process makes it, and others open it by its name. It goes when the last of them has let go of
// it or has ended, so none waits for another one.
class XPOSE_API HostMemory {
 public:
  // A descriptor of the maker, and a number drawn at random that is in the memory: a process of
  // another container may have that descriptor, too.
  struct Name {
    std::int32_t process = 0;  // 0: there is none
    std::int32_t descriptor = -1;
    std::uint64_t drawn = 0;
  };

  // Zeros. Null where the system gives no such memory.
  static std::unique_ptr<HostMemory> make(std::size_t bytes);
  // Null where this process cannot open it, as in another container.
  static std::unique_ptr<HostMemory> open(const Name& name, std::size_t bytes);

  ~HostMemory();
  HostMemory(const HostMemory&) = delete;  // owns the mapping
  HostMemory& operator=(const HostMemory&) = delete;

  const Name& name() const { return name_; }
  std::byte* data() const;  // aligned to 64 bytes

  // Once no other process is to open it.
  void close_file();

 private:
  HostMemory(int file, std::byte* all, std::size_t bytes);
  static std::unique_ptr<HostMemory> map(int file, std::size_t bytes);

  int file_;
  std::byte* all_;  // the drawn number first
  std::size_t bytes_;
  Name name_;
};

}  // namespace xpose::detail
