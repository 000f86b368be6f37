// The names of memory between processes of one host.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace xpose {

// Memory as processes of one host tell each other of it.
struct MemoryName {
  std::byte* address = nullptr;               // in its own process
  std::uint64_t offset = 0;                   // from the begin of its allocation
  std::array<std::uint64_t, 2> process = {};  // drawn at random, and its number; 0: of no memory
  std::int32_t ordinal = 0;                   // of its device there
  std::uint32_t is_shared = 0;                // 1: `handle` names the allocation on this host
  std::array<std::byte, 64> handle = {};

  bool has_allocation_of(const MemoryName& other) const {
    return process == other.process && handle == other.handle &&
           address - offset == other.address - other.offset;
  }
};
std::array<std::uint64_t, 2> own_process();  // as names have it

}  // namespace xpose
