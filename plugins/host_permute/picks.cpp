#include "picks.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <tuple>

#include "../kit/host/ceil_div.hpp"

namespace host_permute {
namespace {

constexpr int64_t kMostBytes = 16'384;  // of a block
constexpr uint8_t kTopBit = 0x80;

// Bytes that lie side by side.
struct Span {
  int64_t begin, end;
};

// The spans that places of so many bytes make together, in their order.
std::vector<Span> spans(const int64_t* places, int64_t count, int64_t bytes) {
  std::vector<Span> all;
  for (int64_t i = 0; i < count; ++i)
    if (i > 0 && places[i] == all.back().end)
      all.back().end += bytes;
    else
      all.push_back({places[i], places[i] + bytes});
  return all;
}

struct Vector {
  int64_t to, bytes;
  int64_t window_bytes;
  std::vector<int64_t> windows;      // where they begin
  std::vector<Picks::Table> tables;  // for each window
};

// A byte that a vector waits for: its place in the vector and in the input, and what may be read
// with it.
struct Byte {
  int64_t number, at;
  Span span;
};

class Finder {
 public:
  Finder(const Places& block, int64_t width) : block_(block), width_(width) {
    for (const Span& span : spans(block.row_in, block.rows, block.cols * block.unit))
      for (int64_t at = span.begin; at < span.end; at += block.cols * block.unit)
        span_of_row_.push_back(span);
  }

  // Those of the whole block; the last of a run lies over bytes that another one has too.
  std::optional<std::vector<Vector>> vectors() const {
    std::vector<Vector> all;
    int64_t number = 0;  // of the output's bytes
    for (const auto& [begin, end] : spans(block_.col_out, block_.cols, block_.rows * block_.unit)) {
      const int64_t bytes = std::min(width_, end - begin);
      if (width_ == Picks::kNarrow && bytes < width_) return std::nullopt;
      for (int64_t at = begin; at < end; at += width_) {
        const int64_t to = std::min(at, end - bytes);
        std::optional<Vector> one = vector(number + to - begin, to, bytes);
        if (!one) return std::nullopt;
        all.push_back(std::move(*one));
      }
      number += end - begin;
    }
    return all;
  }

  Picks::Table nothing() const {
    Picks::Table table;
    table.from.fill(width_ == Picks::kWide ? 0 : kTopBit);
    return table;
  }

 private:
  Byte byte(int64_t number, int64_t of_vector) const {
    const int64_t col_bytes = block_.rows * block_.unit;
    const int64_t col = number / col_bytes, row = number % col_bytes / block_.unit;
    return {of_vector, block_.row_in[row] + col * block_.unit + number % block_.unit,
            span_of_row_[static_cast<size_t>(row)]};
  }

  // Windows that begin at multiples of their width are shared by vectors that follow each other;
  // with those that begin with a byte of the vector it may have fewer.
  std::optional<Vector> vector(int64_t first, int64_t to, int64_t bytes) const {
    std::optional<Vector> shared = vector(first, to, bytes, true),
                          own = vector(first, to, bytes, false);
    return shared && own && shared->windows.size() <= own->windows.size() ? shared : own;
  }

  std::optional<Vector> vector(int64_t first, int64_t to, int64_t bytes, bool shared) const {
    const auto mine = static_cast<uint8_t>(width_ == Picks::kWide ? kTopBit : 0);
    std::vector<Byte> left;
    int64_t window_bytes = width_;  // as many as all of its spans have
    for (int64_t i = 0; i < bytes; ++i) {
      left.push_back(byte(first + i, i));
      window_bytes = std::min(window_bytes, left.back().span.end - left.back().span.begin);
    }
    if (width_ == Picks::kNarrow && window_bytes < width_) return std::nullopt;
    Vector made{
        .to = to, .bytes = bytes, .window_bytes = window_bytes, .windows = {}, .tables = {}};
    while (!left.empty()) {
      if (std::ssize(made.windows) == Picks::kMostWindows) return std::nullopt;
      const auto& [number, at, span] = *std::ranges::min_element(left, {}, &Byte::at);
      const int64_t from = shared ? at - (at - span.begin) % window_bytes : at;
      const int64_t here = std::min(from, span.end - window_bytes);
      Picks::Table table = nothing();
      std::erase_if(left, [&](const Byte& byte) {
        const int64_t place = byte.at - here;
        if (place < 0 || place >= window_bytes) return false;
        table.from[static_cast<size_t>(byte.number)] = static_cast<uint8_t>(mine | place);
        return true;
      });
      made.windows.push_back(here);
      made.tables.push_back(table);
    }
    return made;
  }

  const Places& block_;
  int64_t width_;
  std::vector<Span> span_of_row_;
};

// Squares of short units with rows of 16 bytes are faster than picks.
bool has_full_squares(const Places& block) {
  return std::has_single_bit(static_cast<uint64_t>(block.unit)) && block.unit < 8 &&
         std::min(block.rows, block.cols) * block.unit >= 16;
}

// The time of a block's squares, in tenths of a clock, as all times here (NOTES.md).
int64_t time_of_squares(const Places& block) {
  const int64_t units = block.rows * block.cols;
  const auto size = static_cast<uint64_t>(block.unit);
  if (!std::has_single_bit(size)) {
    const bool padded = size < 8 && block.rows * block.unit >= 12 && block.cols * block.unit >= 16;
    return units * (padded ? 8 : 15);
  }
  const auto few = static_cast<uint64_t>(std::min(block.rows, block.cols));
  if (size >= 16) return units * (few < 4 ? 15 : 6);
  const auto side = static_cast<int64_t>(std::bit_floor(std::min(few, 16 / size)));
  const int64_t squares = host::ceil_div(block.rows, side) * host::ceil_div(block.cols, side);
  return squares * (side == 16 ? 580 : 10 * side + 3);
}

}  // namespace

Picks::Picks(const Places& block, int64_t vector_bytes) : width(vector_bytes) {
  if (block.rows * block.cols * block.unit > kMostBytes || has_full_squares(block)) return;
  const Finder finder(block, width);
  std::optional<std::vector<Vector>> all = finder.vectors();
  if (!all) return;
  std::ranges::stable_sort(*all, {}, [](const Vector& one) {
    return std::tie(one.bytes, one.window_bytes, one.windows);
  });
  for (size_t next = 0; next < all->size();) {
    // As many vectors as have no other windows than the first of them.
    const Vector& first = (*all)[next];
    const int64_t most = std::min(kMostVectors, kMostTables / std::ssize(first.windows));
    Pattern pattern{.vectors = 0,
                    .windows = std::ssize(first.windows),
                    .vector_bytes = first.bytes,
                    .window_bytes = first.window_bytes,
                    .tables = {},
                    .places = {}};
    for (; next < all->size() && pattern.vectors < most; ++next, ++pattern.vectors) {
      const Vector& vector = (*all)[next];
      const auto is_shared = [&](int64_t one) {
        return std::ranges::find(first.windows, one) != first.windows.end();
      };
      if (vector.bytes != first.bytes || vector.window_bytes != first.window_bytes ||
          !std::ranges::all_of(vector.windows, is_shared))
        break;
      pattern.places.push_back(vector.to);
      for (const int64_t window : first.windows) {
        const auto found = std::ranges::find(vector.windows, window) - vector.windows.begin();
        pattern.tables.push_back(found == std::ssize(vector.windows)
                                     ? finder.nothing()
                                     : vector.tables[static_cast<size_t>(found)]);
      }
    }
    pattern.places.insert(pattern.places.end(), first.windows.begin(), first.windows.end());
    const auto same = std::ranges::find_if(patterns, [&](const Pattern& other) {
      return other.vector_bytes == pattern.vector_bytes &&
             other.window_bytes == pattern.window_bytes && other.windows == pattern.windows &&
             other.tables == pattern.tables;
    });
    if (same == patterns.end())
      patterns.push_back(std::move(pattern));
    else
      same->places.insert(same->places.end(), pattern.places.begin(), pattern.places.end());
  }
}

bool Picks::pay(const Places& block) const {
  int64_t time = 0;
  for (const Pattern& pattern : patterns) {
    const int64_t vectors = pattern.vectors, windows = pattern.windows;
    const int64_t each = width == kWide ? 15 + 7 * windows + vectors * (7 + 10 * windows)
                                        : 3 + 3 * windows + vectors * (2 + 3 * windows);
    time += std::ssize(pattern.places) / (vectors + windows) * each;
  }
  return time != 0 && 11 * time < 10 * time_of_squares(block);
}

}  // namespace host_permute
