// Patterns on the device: 16 bytes a thread and step, each chunk computed from its place.
#pragma once

#include "device/pattern.hpp"

namespace xpose {

__extension__ using Bits128 = unsigned __int128;

constexpr unsigned long long no_difference = ~0ULL;

// The 16 bytes of an allocation from offset `at` on, a multiple of 16. [at < pattern.bytes]
__device__ inline Bits128 pattern_chunk(const Pattern& pattern, std::uint64_t at) {
  constexpr std::uint64_t guards = 0x0101010101010101ULL * guard_byte;
  const std::uint32_t size = pattern.element_bytes;
  const std::uint64_t end = pattern.begin + static_cast<std::uint64_t>(pattern.span) * size;
  const Bits128 guard = (static_cast<Bits128>(guards) << 64) | guards;
  const Bits128 flip = pattern.is_complement ? ~Bits128{0} : 0;
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
        const ElementBits bits = element_bits(run.index, size);
        const Bits128 value = ((static_cast<Bits128>(bits.high) << 64) | bits.low) ^ flip;
        const Bits128 mask = all >> (8 * (16 - size)) >> (8 * cut) << (8 * filled);
        chunk = (chunk & ~mask) | ((value >> (8 * cut) << (8 * filled)) & mask);
      }
      filled += size - cut;
    }
  }
  return chunk;
}

__device__ inline std::uint64_t first_chunk(std::uint64_t from) {
  const std::uint64_t thread = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x;
  return from / 16 * 16 + thread * 16;
}
__device__ inline std::uint64_t chunk_step() {
  return static_cast<std::uint64_t>(gridDim.x) * blockDim.x * 16;
}

// [data 16-byte aligned; from and to multiples of 16]
__global__ void fill_chunks(const Pattern pattern, std::byte* data, std::uint64_t from,
                            std::uint64_t to) {
  for (std::uint64_t at = first_chunk(from); at < to; at += chunk_step()) {
    const Bits128 chunk = pattern_chunk(pattern, at);
    *reinterpret_cast<ulonglong2*>(data + at) = {static_cast<unsigned long long>(chunk),
                                                 static_cast<unsigned long long>(chunk >> 64)};
  }
}

// [data 16-byte aligned; bytes a multiple of 16] The least offset in [from, to) that differs.
__global__ void compare_chunks(const Pattern pattern, const std::byte* data, std::uint64_t from,
                               std::uint64_t to, unsigned long long* first) {
  for (std::uint64_t at = first_chunk(from); at < to; at += chunk_step()) {
    const Bits128 chunk = pattern_chunk(pattern, at);
    const ulonglong2 found = *reinterpret_cast<const ulonglong2*>(data + at);
    Bits128 difference = chunk ^ ((static_cast<Bits128>(found.y) << 64) | found.x);
    if (at < from) difference = difference >> (8 * (from - at)) << (8 * (from - at));
    if (difference == 0) continue;
    const auto low = static_cast<long long>(difference);
    const int bit =
        low != 0 ? __ffsll(low) : 64 + __ffsll(static_cast<long long>(difference >> 64));
    const unsigned long long offset = at + static_cast<unsigned>(bit - 1) / 8;
    if (offset < to) atomicMin(first, offset);
    return;
  }
}

}  // namespace xpose
