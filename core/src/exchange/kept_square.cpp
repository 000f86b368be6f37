#include "exchange/kept_square.hpp"

#include <algorithm>
#include <cmath>

#include "exchange/chunks.hpp"

namespace xpose {

KeptSquare::KeptSquare(const Exchange& exchange, const Message& kept, const Limits& limits)
    : exchange_(exchange), kept_(kept), side_(kept.line()) {
  const std::int64_t bytes = exchange.element_bytes();
  if (kept.elements() <= limits.whole_bytes / bytes && exchange.turning(kept, 0, side_)) return;
  const auto side = static_cast<std::int64_t>(
      std::sqrt(static_cast<double>(std::max(limits.tile_bytes / bytes, std::int64_t{1}))));
  if (side < side_) side_ = whole_tiles(side);
}

std::uint64_t KeptSquare::buffer_bytes() const {
  if (side_ == kept_.line() && exchange_.turning(kept_, 0, side_)) return 0;
  return static_cast<std::uint64_t>(side_ * side_) * exchange_.element_bytes();
}

void KeptSquare::transpose(std::byte* array, const std::array<std::byte*, 2>& buffers,
                           const MoveTiles& move, const std::function<void()>& pause) const {
  const auto end = [&](std::int64_t begin) { return std::min(begin + side_, kept_.line()); };
  for (std::int64_t row = 0; row < kept_.line(); row += side_) {
    for (std::int64_t col = 0; col < row; col += side_) {
      swap({{row, col}, {end(row), end(col)}}, {{col, row}, {end(col), end(row)}}, array, buffers,
           move);
      pause();
    }
    if (const auto whole = exchange_.turning(kept_, row, end(row))) {
      move({*whole}, array, array);
    } else {
      const Box tile{{row, row}, {end(row), end(row)}};
      move(exchange_.packing(kept_, tile), array, buffers[0]);
      move(exchange_.unpacking(kept_, tile), buffers[0], array);
    }
    pause();
  }
}

// Both are out of the array before either is written to the other's place.
void KeptSquare::swap(const Box& tile, const Box& twin, std::byte* array,
                      const std::array<std::byte*, 2>& buffers, const MoveTiles& move) const {
  move(exchange_.packing(kept_, tile), array, buffers[0]);
  move(exchange_.packing(kept_, twin), array, buffers[1]);
  move(exchange_.unpacking(kept_, tile), buffers[0], array);
  move(exchange_.unpacking(kept_, twin), buffers[1], array);
}

}  // namespace xpose
