// How much a multiprocessor may have under way to and from memory.
#pragma once

#include "xpose/explain.hpp"

namespace xpose {

// Bytes that the resident threads of a multiprocessor load from global memory, if each has all its
// loads under way at once: resident blocks x the bytes that a block loads. The blocks are the
// hardware's figure, else the most that compute capability 9.0 holds for the block's threads and
// dynamic shared memory. Of the kernel that loads most; 0 without a simulator.
std::uint64_t loads_in_flight(const Explanation& told);

// Bytes of loads a multiprocessor that cover the latency of memory at full bandwidth, by Little's
// law: bandwidth times latency over the multiprocessors, half of it loads. core/NOTES.md has the
// figures of the device that is simulated.
constexpr std::uint64_t kCoveringLoads = std::uint64_t{24} << 10;

}  // namespace xpose
