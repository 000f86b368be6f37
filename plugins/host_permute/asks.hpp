// Lines that are asked for outside the kernels.
#pragma once

#include <cstdint>

#include "kernels.hpp"
#include "layout.hpp"

namespace host_permute {

// The lines that a run shares with its neighbours are fetched before they are written, and a
// store that waits for its line holds up all behind it.
inline void ask_for_ends(const uint8_t* to, int64_t bytes) {
  if (reinterpret_cast<uintptr_t>(to) % kLine != 0) __builtin_prefetch(to, 1, 3);
  if (reinterpret_cast<uintptr_t>(to + bytes) % kLine != 0) __builtin_prefetch(to + bytes, 1, 3);
}

// A first tile, and one that is smaller than the next, write too few lines to ask for all.
inline void ask_for_rest(const Lines& ahead) {
  for (const int64_t* line = ahead.next; line != ahead.end; ++line)
    __builtin_prefetch(ahead.base + *line, 0, 2);
}

}  // namespace host_permute
