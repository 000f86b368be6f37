// The parts of lines at the ends of a run of the output.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace host {

// The whole lines of a run: where they begin in it, and their bytes.
struct WholeLines {
  int64_t begin, bytes;
};

// Writes the parts of lines by memcpy. Most runs have none, and a call for no bytes takes as long
// as a line does.
inline WholeLines write_ends(const uint8_t* from, uint8_t* to, int64_t bytes) {
  constexpr int64_t kLineBytes = 64;
  const auto before_line = static_cast<int64_t>(-reinterpret_cast<uintptr_t>(to) % kLineBytes);
  const int64_t head = std::min(before_line, bytes);
  const int64_t whole = (bytes - head) / kLineBytes * kLineBytes, end = head + whole;
  if (head != 0) std::memcpy(to, from, static_cast<size_t>(head));
  if (end != bytes) std::memcpy(to + end, from + end, static_cast<size_t>(bytes - end));
  return {head, whole};
}

}  // namespace host
