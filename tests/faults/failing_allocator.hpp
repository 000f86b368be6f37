// An allocator whose n-th call fails. Linking failing_allocator.cpp into a program puts it before
// the C library's malloc and its relatives, for every library the program loads.
#pragma once

#include <cstdint>

namespace xpose {

enum class Failing { once, from_then_on };

// Fails allocations of the calling thread while it lives: the nth (from 1), or it and all later
// ones. [one at a time in a thread]
class FailAllocation {
 public:
  FailAllocation(std::uint64_t nth, Failing failing);
  ~FailAllocation();
  FailAllocation(const FailAllocation&) = delete;  // restores the thread's allocator
  FailAllocation& operator=(const FailAllocation&) = delete;

  bool reached() const;         // the nth allocation was asked for
  std::uint64_t calls() const;  // allocations asked for
};

// Allocations of the process, by all threads, that were not freed yet.
std::int64_t live_allocations();

}  // namespace xpose
