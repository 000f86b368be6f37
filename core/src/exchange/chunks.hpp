// A message in chunks, of which one at a time is on its way between two ranks.
#pragma once

#include <array>
#include <cstdint>

#include "exchange/exchange.hpp"

namespace xpose {

// Boxes of a message. Both ranks of it cut it alike, and pass its chunks in the order of their
// numbers, from 0 on. The first chunk is the largest.
struct Chunks {
  Message message;
  std::array<std::int64_t, 2> extent;  // of a chunk, in indices of each axis
  int outer;  // the axis along which a chunk moves on when the other one is through

  std::int64_t count() const { return along(0) * along(1); }
  Box box(std::int64_t number) const;

 private:
  std::int64_t along(int axis) const;  // chunks
};

// Chunks of whole lines of the target.
Chunks chunks_in_lines(const Message& message, std::int64_t lines);

// Chunks of a route in place, of at most so many elements and at least one. The elements that two
// ranks have for each other lie at the same places on each of them, before and after, and so do
// those of the chunks of one number. Both ranks read them and write them along different axes, so
// that chunks are about as wide as high. Not of what a rank keeps.
Chunks chunks_in_place(const Message& message, bool is_sent, int own_rank, std::int64_t elements);

// Fewer lines, or others, would leave parts of the strategies' tiles empty.
constexpr std::int64_t kTileLines = 128;
inline std::int64_t whole_tiles(std::int64_t lines) {
  return lines < kTileLines ? lines : lines - lines % kTileLines;
}

}  // namespace xpose
