// The work of the memory system for one access of a warp: the rules of explain.hpp as functions.
#pragma once

#include <cstdint>
#include <span>

namespace xpose {

// Sectors or wavefronts.
struct Served {
  std::uint32_t taken = 0;
  std::uint32_t ideal = 0;  // the fewest that could have served the same distinct bytes
  bool operator==(const Served&) const = default;
};

// `lanes` is the bit set of active lanes, the other addresses are not looked at; lane_bytes is 1,
// 2, 4, 8 or 16. Called millions of times for a launch: neither allocates. [any thread]

// The 32-byte sectors that a global access moves: each different one once.
Served sectors(std::span<const std::uint64_t, 32> address, std::uint32_t lanes,
               std::uint32_t lane_bytes);

// The wavefronts of a shared access: for each part of the warp (a whole, two halves of 8-byte
// lanes, four quarters of 16-byte lanes) as many as the most wanted of 32 banks has different
// 4-byte words to give. A part without active lanes costs nothing.
Served wavefronts(std::span<const std::uint64_t, 32> address, std::uint32_t lanes,
                  std::uint32_t lane_bytes);

}  // namespace xpose
