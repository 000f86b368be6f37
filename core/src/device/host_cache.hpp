// The host's caches, emptied of what is about to be timed.
#pragma once

#include <cstddef>
#include <span>

namespace xpose {

// Writes the lines of the bytes to memory where they have changed and drops them from all caches.
// False, and nothing is done, where the processor has no instruction for that: it takes x86-64
// with CLFLUSHOPT. Takes as long whether they were in a cache or not. [any thread]
bool drop_from_caches(std::span<const std::byte> bytes);

}  // namespace xpose
