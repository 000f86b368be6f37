// A pattern 16 bytes at a time, as a device writes and compares it.
#pragma once

#include "device/pattern.hpp"

namespace xpose {

__extension__ using Bits128 = unsigned __int128;

// The 16 bytes of an allocation from offset `at` on, a multiple of 16. [at < pattern.bytes]
XPOSE_ANYWHERE inline Bits128 pattern_chunk(const Pattern& pattern, std::uint64_t at) {
  constexpr std::uint64_t guards = 0x0101010101010101ULL * guard_byte;
  const std::uint32_t size = pattern.element_bytes;
  const std::uint64_t end = pattern.begin + static_cast<std::uint64_t>(pattern.span) * size;
  const Bits128 guard = (static_cast<Bits128>(guards) << 64) | guards;
  const Bits128 all = ~Bits128{0};
  Bits128 chunk = guard;
  for (std::uint32_t filled = 0; filled < 16;) {
    const std::uint64_t offset = at + filled;
    if (offset < pattern.begin) {
      const std::uint64_t bytes = pattern.begin - offset;
      filled = bytes < 16 - filled ? filled + static_cast<std::uint32_t>(bytes) : 16;
      continue;
    }
    if (offset >= end) break;
    const std::uint32_t inside = static_cast<std::uint32_t>(offset - pattern.begin) % size;
    Run run = run_at(pattern, static_cast<std::int64_t>((offset - pattern.begin) / size));
    std::uint32_t cut = inside;  // bytes of the first element that lie in the chunk before
    for (; run.length > 0 && filled < 16; --run.length, run.index += run.step, cut = 0) {
      if (run.is_element) {
        const ElementBits bits = marked(element_bits(run.index, size), run, pattern.flip);
        const Bits128 value = (static_cast<Bits128>(bits.high) << 64) | bits.low;
        const Bits128 mask = all >> (8 * (16 - size)) >> (8 * cut) << (8 * filled);
        chunk = (chunk & ~mask) | ((value >> (8 * cut) << (8 * filled)) & mask);
      }
      filled += size - cut;
    }
  }
  return chunk;
}

}  // namespace xpose
