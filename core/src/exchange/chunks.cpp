#include "exchange/chunks.hpp"

#include <algorithm>
#include <cmath>

namespace xpose {

std::int64_t Chunks::along(int axis) const {
  const std::int64_t one = extent[static_cast<std::size_t>(axis)];
  return (message.box().extent(axis) + one - 1) / one;
}

Box Chunks::box(std::int64_t number) const {
  const std::int64_t inner = along(1 - outer);
  Box box;
  for (const int axis : {0, 1}) {
    const auto at = static_cast<std::size_t>(axis);
    box.begin[at] = (axis == outer ? number / inner : number % inner) * extent[at];
    box.end[at] = std::min(box.begin[at] + extent[at], message.shared[at]->extent);
  }
  return box;
}

Chunks chunks_in_lines(const Message& message, std::int64_t lines) {
  Chunks chunks{message, message.box().end, 1 - message.fast};
  auto& extent = chunks.extent[static_cast<std::size_t>(chunks.outer)];
  extent = std::min(extent, lines);
  return chunks;
}

// By the axes as the rank of the lower number sends them: the rows of its message are the columns
// of the other's.
Chunks chunks_in_place(const Message& message, bool is_sent, int own_rank, std::int64_t elements) {
  const int outer = (own_rank < message.rank) == is_sent ? 0 : 1;
  const auto fit = [](std::int64_t wanted, std::int64_t all) {
    return wanted < all ? whole_tiles(std::max<std::int64_t>(wanted, 1)) : all;
  };
  const std::int64_t down = message.box().extent(outer), across = message.box().extent(1 - outer);
  const auto side = static_cast<std::int64_t>(std::sqrt(static_cast<double>(elements)));
  Chunks chunks{message, {}, outer};
  const std::int64_t height = fit(std::max(side, elements / across), down);
  chunks.extent[static_cast<std::size_t>(outer)] = height;
  chunks.extent[static_cast<std::size_t>(1 - outer)] = fit(elements / height, across);
  return chunks;
}

}  // namespace xpose
