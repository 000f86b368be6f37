// A pattern 16 bytes at a time, as a device writes and compares it.
#pragma once

#include "pattern/pattern.hpp"

namespace xpose {

__extension__ using Bits128 = unsigned __int128;

// The first 16 bytes of a run that goes on for as many, with indices that are equal above 2^32: by
// constant shifts, and without masks.
template <std::uint32_t size>
XPOSE_ANYWHERE inline Bits128 chunk_of_run(const Run& run, std::uint64_t flip) {
  const std::uint32_t first = first_word(run.index);
  const auto step = static_cast<std::uint32_t>(run.step);
  std::uint64_t half[2] = {};
  if constexpr (size == 16) {
    const ElementBits bits = marked(bits_of_word(first, size), run, flip);
    half[0] = bits.low;
    half[1] = bits.high;
  } else {
    constexpr std::uint64_t kMask = ~std::uint64_t{0} >> (64 - 8 * size);
    for (std::uint32_t i = 0; i < 16 / size; ++i)
      half[i * size / 8] |= (marked(bits_of_word(first + i * step, size), run, flip).low & kMask)
                            << (i * size % 8 * 8);
  }
  return (static_cast<Bits128>(half[1]) << 64) | half[0];
}

XPOSE_ANYWHERE inline Bits128 chunk_of_run(const Run& run, std::uint64_t flip, std::uint32_t size) {
  switch (size) {
    case 1:
      return chunk_of_run<1>(run, flip);
    case 2:
      return chunk_of_run<2>(run, flip);
    case 4:
      return chunk_of_run<4>(run, flip);
    case 8:
      return chunk_of_run<8>(run, flip);
    default:
      return chunk_of_run<16>(run, flip);
  }
}

// The 16 bytes of an allocation from offset `at` on, a multiple of 16. [at < pattern.bytes]
XPOSE_ANYWHERE inline Bits128 pattern_chunk(const Pattern& pattern, std::uint64_t at) {
  const std::uint64_t guards = 0x0101010101010101ULL * pattern.guard;
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
    const std::int64_t last = 16 / size - 1;
    if (filled == 0 && inside == 0 && run.is_element && run.length > last &&
        run.index >> 32 == (run.index + last * run.step) >> 32)
      return chunk_of_run(run, pattern.flip, size);
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
