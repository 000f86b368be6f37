// An open file descriptor that closes itself.
#pragma once

#include <sys/types.h>

#include <utility>

namespace xpose {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();

  int get() const { return number_; }  // -1: none, which poll ignores
  int release() { return std::exchange(number_, -1); }

 private:
  int number_ = -1;
};

// Whether a call failed for want of a descriptor, and the remedy.
bool lacks_descriptor(int error);
constexpr const char* kMoreDescriptors = "raise the limit on open files (`ulimit -n`)";

// Polls readable once the process has ended; none where the system cannot do that.
Descriptor open_process(pid_t pid);

}  // namespace xpose
