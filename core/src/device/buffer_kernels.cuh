// Kernels that fill and compare buffers, 16 bytes a thread and step. Chunks of patterns are
// computed from their place.
#pragma once

#include "pattern/pattern_chunk.hpp"
#include "pattern/spots.hpp"

namespace xpose {

constexpr unsigned long long kNoDifference = ~0ULL;

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

// A block a pair of buffers.
__global__ void change_spots(const Spots spots) {
  for (std::uint32_t k = threadIdx.x; k < spots.of_pair; k += blockDim.x)
    set_spot(spots, blockIdx.x * spots.of_pair + k);
}
__global__ void find_wrong_spot(const Spots spots, unsigned long long* first) {
  for (std::uint32_t k = threadIdx.x; k < spots.of_pair; k += blockDim.x) {
    const std::uint32_t i = blockIdx.x * spots.of_pair + k;
    if (!is_spot_right(spots, i)) atomicMin(first, static_cast<unsigned long long>(i));
  }
}

// Both ranges are 16-byte aligned; the tail of fewer than 16 bytes is compared byte by byte.
__global__ void find_first_difference(const uint4* a, const uint4* b, unsigned long long bytes,
                                      unsigned long long* first) {
  const unsigned long long words = bytes / 16;
  const unsigned long long thread =
      blockIdx.x * static_cast<unsigned long long>(blockDim.x) + threadIdx.x;
  const unsigned long long threads = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  const auto* x = reinterpret_cast<const unsigned char*>(a);
  const auto* y = reinterpret_cast<const unsigned char*>(b);
  for (unsigned long long i = thread; i < words; i += threads) {
    const uint4 p = a[i];
    const uint4 q = b[i];
    if (((p.x ^ q.x) | (p.y ^ q.y) | (p.z ^ q.z) | (p.w ^ q.w)) == 0) continue;
    for (unsigned long long at = i * 16; at < i * 16 + 16; ++at)
      if (x[at] != y[at]) {
        atomicMin(first, at);
        break;
      }
    break;
  }
  if (thread < bytes % 16 && x[words * 16 + thread] != y[words * 16 + thread])
    atomicMin(first, words * 16 + thread);
}

}  // namespace xpose
