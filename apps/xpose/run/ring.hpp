// The kernel's queue of transfers, io_uring: one thread has many of them made at once.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <optional>

#include "run/transfer.hpp"

namespace xpose::app {

// [one thread at a time]
class Ring {
 public:
  struct End {
    std::size_t tag = 0;
    ssize_t result = 0;  // bytes that were moved, or -errno
  };

  virtual ~Ring() = default;

  // Hands a transfer over with the next submit(). Of a tag, one at a time.
  virtual void push(const DirectFile& file, const Transfer& transfer, std::size_t tag) = 0;

  // Hands what was pushed to the kernel, and waits until `ends` transfers have ended or a signal
  // comes. Returns how many the kernel took, or -errno: it took none then.
  virtual int submit(std::size_t ends) = 0;

  // Waits for an end, and hands nothing over. Returns 0 or -errno.
  virtual int wait() = 0;

  // An end that has come.
  virtual std::optional<End> pop() = 0;
};

using MakeRing = std::unique_ptr<Ring> (*)(std::size_t depth);

// A ring of tags 0 to depth - 1. Null where the system refuses it, with the reason in errno.
std::unique_ptr<Ring> make_ring(std::size_t depth);

}  // namespace xpose::app
