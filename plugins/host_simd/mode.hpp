// The modes of the strategy: the ways to walk a matrix that are really different.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rectangle.hpp"

namespace host_simd {

// The writing of an output row: lines written together.
enum class Writing {
  kSingle = 1,  // past the caches, one line at a time
  kPairs = 2,   // past the caches, two lines
  kDirect = 3,  // into the cache, one line straight from registers
  kFours = 4,   // into the cache, four lines
  kEights = 5,  // past the caches, as many lines as long_run()
};

// The blocks of the input, in the order of the walk past the caches.
enum class BlockOrder {
  kNear = 0,    // narrow blocks, which are asked for shortly before their turn
  kFar = 1,     // wide blocks, which are asked for long before
  kStrips = 2,  // strips of one block before the rows below, which leave few bytes to carry
  kPanels = 3,  // panels that have all of a short side
};

// One value of the axis `mode`. Its decimal digits are the writing, the level of the cache that
// lines are prefetched into (0: the processor prefetches), and the order of the blocks.
struct Mode {
  constexpr explicit Mode(int64_t value)
      : writing(static_cast<Writing>(value / 100)),
        ahead(static_cast<int>(value / 10 % 10)),
        order(static_cast<BlockOrder>(value % 10)) {}

  constexpr bool streams() const {
    return writing != Writing::kDirect && writing != Writing::kFours;
  }

  // Rectangle's numbers.
  constexpr int gather() const {
    if (writing == Writing::kEights) return 8;
    return writing == Writing::kDirect ? 0 : static_cast<int>(writing);
  }
  constexpr int64_t strip() const { return order == BlockOrder::kStrips ? 0 : 4 * kStripBlock; }

  // "pairs, prefetch L2, strips"
  std::string name() const {
    static constexpr const char* kWritings[] = {"", "lines", "pairs", "direct", "fours", "eights"};
    std::string text =
        order == BlockOrder::kPanels ? "panels" : kWritings[static_cast<int>(writing)];
    if (ahead != 0) text += ", prefetch L" + std::to_string(ahead);
    if (order == BlockOrder::kFar) text += ", far";
    if (order == BlockOrder::kStrips) text += ", strips";
    return text;
  }

  Writing writing;
  int ahead;
  BlockOrder order;
};

// Every mode, the default first.
inline std::vector<int64_t> modes() {
  return {220, 222, 223, 210, 212, 211, 200, 202, 520, 500, 120, 110, 111, 100, 400, 310, 300};
}

}  // namespace host_simd
