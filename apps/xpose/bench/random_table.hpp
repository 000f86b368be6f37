// Random matrices and permutations for `xpose bench --random`, the same for one seed everywhere.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/standard_table.hpp"

namespace xpose::app {

inline constexpr std::uint64_t kLeastRandomBytes = 64 << 10;

// The problems to draw. The first problems of a seed are the same however many follow.
struct RandomDraw {
  std::size_t count = 0;
  std::uint64_t seed = 0;
  std::uint64_t most_bytes = 0;  // of one array; more than kLeastRandomBytes
};

// Half of them are matrices: any shape, some in a batch, some with longer rows. The others permute
// 2 to 8 axes of any extents, or as many of extent 2 as there is room for. Sizes, extents and
// counts are spread evenly over their orders of magnitude. A name is unique to seed and number.
// [any thread]
std::vector<Cell> random_table(DeviceKind kind, const RandomDraw& draw);

}  // namespace xpose::app
