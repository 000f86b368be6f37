// A route between layouts drawn at random.
#pragma once

#include <cstdint>

#include "../core/route/scattered.hpp"
#include "xpose/route.hpp"

namespace xpose {

struct DrawnRoute {
  RouteOptions options;  // whose ranks are still to be named
  Placement from, to;
};

// A third of them is in place. Chunks of a large matrix that are small would take one journey each.
inline DrawnRoute drawn_route(std::uint64_t seed, std::int64_t extent, int ranks) {
  Draw draw(seed);
  DrawnRoute drawn;
  RouteOptions& options = drawn.options;
  options.deadline_seconds = 300;  // of a loaded machine
  options.in_place = seed % 3 == 0;
  options.transpose = options.in_place || draw.coin();
  options.memory = draw.coin() || extent > 500 ? std::uint64_t{1} << 20 : 5000;
  const auto bytes = static_cast<std::uint32_t>(draw.number(1, 20));
  const std::int64_t rows = draw.number(1, extent);
  const std::int64_t cols = options.in_place ? rows : draw.number(1, extent);
  drawn.from = draw.placement(rows, cols, bytes, ranks);
  drawn.to = options.in_place    ? drawn.from
             : options.transpose ? draw.placement(cols, rows, bytes, ranks)
                                 : draw.placement(rows, cols, bytes, ranks);
  return drawn;
}

}  // namespace xpose
