// A message, or what stays on a rank, cut into parts of whole lines.
#pragma once

#include <algorithm>
#include <cstdint>

#include "exchange/exchange.hpp"

namespace xpose {

struct MessageParts {
  Message message;
  std::int64_t lines;  // of a part

  std::int64_t begin(std::int64_t part) const { return std::min(part * lines, message.lines()); }
  std::int64_t count() const { return (message.lines() + lines - 1) / lines; }
};

// Fewer lines, or others, would leave parts of the strategies' tiles empty.
constexpr std::int64_t kTileLines = 128;

inline std::int64_t whole_tiles(std::int64_t lines) {
  return lines < kTileLines ? lines : lines - lines % kTileLines;
}

}  // namespace xpose
