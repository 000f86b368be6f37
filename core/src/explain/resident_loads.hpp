// How much a multiprocessor may have under way to and from memory.
#pragma once

#include "xpose/explain.hpp"

namespace xpose {

// Bytes that the resident threads of a multiprocessor load from global memory, if each has all its
// loads under way at once: resident blocks x the bytes that a block loads. The blocks are the
// hardware's figure, else the most that compute capability 9.0 holds for the block's threads and
// dynamic shared memory. Of the kernel that loads most; 0 without a model.
std::uint64_t loads_in_flight(const Explanation& told);

// What covers the latency of memory at full bandwidth, by Little's law: on an H200 4.8 TB/s x 0.7
// us / 132 multiprocessors, half of it loads, and what its fastest copies have under way.
constexpr std::uint64_t covering_loads = std::uint64_t{24} << 10;

}  // namespace xpose
