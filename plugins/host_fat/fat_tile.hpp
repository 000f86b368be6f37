// One tile of fat elements: read along the input's rows, element by element in 16-byte registers,
// and written in runs of an output row. Stores that bypass the caches want whole lines one behind
// the other, which elements of 48 or 80 bytes are not; so a tile is gathered in a small buffer, as
// in host_blocked, but there already lies as the output does.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "../kit/host/stream_run.hpp"

namespace host {

using Byte = unsigned char;

inline constexpr int64_t kLineBytes = 64;
inline constexpr int64_t kReadRun = 512;   // bytes of an input row that a tile has
inline constexpr int64_t kWriteRun = 512;  // bytes of an output row that a tile has, at most
inline constexpr int64_t kAhead = 8;       // rows, at most
// A tile's output rows are a line apart, so that their lines fall into different cache sets.
inline constexpr int64_t kBufferBytes = kReadRun / 32 * (kWriteRun + kLineBytes);

// Calls body with an element's bytes, 32 to 256 in steps of 16, as a constant.
template <class Body>
void with_fat_element(int64_t bytes, const Body& body) {
  [&]<int... I>(std::integer_sequence<int, I...>) {
    ((bytes == 32 + 16 * I ? body(std::integral_constant<int64_t, 32 + 16 * I>()) : void()), ...);
  }
  (std::make_integer_sequence<int, 15>());
}

// Calls body(at) for every 16 bytes of an element: of a loop compilers make a call of memmove,
// which takes longer than the moves.
template <int64_t Bytes, class Body>
void for_each_vector(const Body& body) {
  [&]<int... I>(std::integer_sequence<int, I...>) { (body(int64_t{16 * I}), ...); }
  (std::make_integer_sequence<int, Bytes / 16>());
}

// Any address.
template <int64_t Bytes>
void move_element(Byte* to, const Byte* from) {
  using Vector = Byte __attribute__((vector_size(16)));
  for_each_vector<Bytes>([&](int64_t at) {
    Vector value;
    std::memcpy(&value, from + at, sizeof value);
    std::memcpy(to + at, &value, sizeof value);
  });
}

// A rectangle of rows x cols elements of the input.
struct FatTile {
  const Byte* in;
  int64_t rows, cols;
};

// How a problem's elements are moved; pitches and strides are in bytes.
struct FatLayout {
  int64_t element;  // bytes
  int64_t in_pitch, out_pitch;
  int64_t buffer_pitch;
  bool joined;  // a tile's output rows are one run, of this pitch
};

inline void prefetch_row(const FatLayout& layout, const FatTile& tile, int64_t row) {
  const Byte* const from = tile.in + row * layout.in_pitch;
  for (int64_t at = 0; at < tile.cols * layout.element; at += kLineBytes)
    __builtin_prefetch(from + at);
}

// By ordinary stores, for matrices that stay in the caches.
template <int64_t Bytes>
void transpose_tile(const FatLayout& layout, const FatTile& tile, Byte* out) {
  for (int64_t c = 0; c < tile.cols; ++c)
    for (int64_t r = 0; r < tile.rows; ++r)
      move_element<Bytes>(out + c * layout.out_pitch + r * Bytes,
                          tile.in + r * layout.in_pitch + c * Bytes);
}

// By stores that bypass the caches. Rows are asked for kAhead rows before they are read, since
// processors do not foresee runs of a few lines with whole rows between them; no more of them,
// since rows of a power of two bytes meet in one cache set.
template <int64_t Bytes>
void stream_tile(const FatLayout& layout, const FatTile& tile, Byte* out, const FatTile& next,
                 Byte* buffer) {
  const int64_t ahead = std::min(kAhead, tile.rows);
  for (int64_t r = 0; r < tile.rows; ++r) {
    const int64_t later = r + ahead - tile.rows;  // row of the next tile
    if (later < 0)
      prefetch_row(layout, tile, r + ahead);
    else if (later < next.rows)
      prefetch_row(layout, next, later);
    const Byte* const row = tile.in + r * layout.in_pitch;
    for (int64_t c = 0; c < tile.cols; ++c)
      move_element<Bytes>(buffer + c * layout.buffer_pitch + r * Bytes, row + c * Bytes);
  }
  if (layout.joined) return stream_run(out, buffer, tile.cols * layout.out_pitch);
  for (int64_t c = 0; c < tile.cols; ++c)
    stream_run(out + c * layout.out_pitch, buffer + c * layout.buffer_pitch, tile.rows * Bytes);
}

}  // namespace host
