// How many bytes a kernel asks for at once, and how many the memory needs to be asked for.
#pragma once

#include <cstdint>

namespace xpose {

// The warps of a launch that are on the device at once.
struct Residency {
  std::uint64_t blocks = 0;  // of the launch
  std::uint32_t warps_per_block = 0;
  std::uint32_t blocks_per_multiprocessor = 0;
  std::uint32_t multiprocessors = 0;
};

std::uint64_t resident_warps(const Residency& residency);

// Bytes that the resident warps have asked memory for and wait for, at most: resident warps times
// the bytes that a warp requests before it first waits. Assumed is that
//  * every warp of the launch loads the same share of `load_bytes` (bytes moved by its global
//  loads:
//    32 times the sectors),
//  * a warp issues its loads in `waits` equal groups, each complete before it waits for the group;
//    1 where a block loads one tile and then passes a barrier, the turns of the loop where each
//    turn uses what it loaded,
//  * all resident warps are at that point together, and nothing is served by a cache.
// The truth lies below: a part of the warps is computing, storing, or waiting at a barrier.
// 0 where nothing is resident or `waits` is 0.
std::uint64_t bytes_in_flight(const Residency& residency, std::uint64_t load_bytes,
                              std::uint64_t waits = 1);

// Bytes that must be in flight to draw `bytes_per_second` from a memory that answers after
// `latency_seconds` (Little's law).
std::uint64_t bytes_needed_in_flight(double bytes_per_second, double latency_seconds);

}  // namespace xpose
