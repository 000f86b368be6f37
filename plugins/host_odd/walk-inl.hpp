// Transposes a rectangle of odd units tile by tile, in stages that overlap a few lines at a time:
//  * a tile of the input is asked for, row by row;
//  * one is transposed into a staging buffer, whose columns are runs of the output;
//  * the one before it leaves its buffer by whole lines, past the caches.
// Runs of the output begin and end anywhere in a line. The line that ends a run is kept, and
// completed by the run below: tiles follow each other along a strip of columns, then below each
// other.
//
// Included once for each target of Highway, as register_tile-inl.hpp is.
#include <algorithm>
#include <cstring>

#include "../kit/host/ceil_div.hpp"
#include "../kit/host/lines-inl.hpp"
#include "../kit/host/padded_square-inl.hpp"
#include "kernels.hpp"

#if defined(XPOSE_HOST_ODD_WALK) == defined(HWY_TARGET_TOGGLE)
#ifdef XPOSE_HOST_ODD_WALK
#undef XPOSE_HOST_ODD_WALK
#else
#define XPOSE_HOST_ODD_WALK
#endif

HWY_BEFORE_NAMESPACE();
namespace host_odd {
namespace HWY_NAMESPACE {

using namespace host::HWY_NAMESPACE;

// Rows and columns of a tile, and where it goes: columns `pitch` bytes apart, behind each of which
// up to 16 bytes may be written. `left`: bytes of its rows from the tile on.
struct Tile {
  const uint8_t* in;
  int64_t in_pitch, unit, rows, cols, left;
  uint8_t* to;
  int64_t pitch;
};

// Units of 3 bytes, or of 5 to 7, in squares that are padded in registers.
template <int Padded>
class PaddedTile {
 public:
  static constexpr int64_t kStep = PaddedSquare<Padded>::kSeveral;  // rows

  explicit PaddedTile(int64_t unit) : square_(unit) {}

  // kStep rows, the first of them `row`.
  HWY_INLINE void transpose(const Tile& tile, int64_t row) const {
    const Tile t = tile;  // what is stored may be anybody's, but not a local's
    const PaddedSquare<Padded> square = square_;
    for (int64_t c = 0; c < t.cols; c += kSide) {
      const int64_t col = std::min(c, t.cols - kSide);
      const uint8_t* const in = t.in + row * t.in_pitch + col * t.unit;
      uint8_t* const to = t.to + col * t.pitch + row * t.unit;
      square.template transpose_several<true>(
          square.loads(t.left - col * t.unit),
          [&](int64_t r) XPOSE_INLINE { return in + r * t.in_pitch; },
          [&](int64_t i) XPOSE_INLINE { return to + i * t.pitch; });
    }
  }

 private:
  static constexpr int64_t kSide = PaddedSquare<Padded>::kSide;

  PaddedSquare<Padded> square_;
};

// Units of at least half of Width bytes, moved by one load and one store that the next row's
// overlaps. A column has several rows after each other: their stores meet in a line.
template <int Width>
class MovedTile {
 public:
  static constexpr int64_t kStep = 4;  // rows

  explicit MovedTile(int64_t) {}

  HWY_INLINE void transpose(const Tile& t, int64_t row) const {
    const int64_t unit = t.unit, in_pitch = t.in_pitch, pitch = t.pitch;
    const int64_t whole = t.cols - (t.left == t.cols * unit);
    const uint8_t* HWY_RESTRICT in = t.in + row * in_pitch;
    uint8_t* HWY_RESTRICT to = t.to + row * unit;
    for (int64_t c = 0; c < whole; ++c, in += unit, to += pitch)
      unroll<kStep>([&](auto r)
                        XPOSE_INLINE { std::memcpy(to + r * unit, in + r * in_pitch, Width); });
    if (whole == t.cols) return;
    // The last of its row: nothing is read behind it.
    unroll<kStep>([&](auto r) XPOSE_INLINE {
      const uint8_t* const from = in + r * in_pitch;
      std::memcpy(to + r * unit, from, Width / 2);
      std::memcpy(to + (r + 1) * unit - Width / 2, from + unit - Width / 2, Width / 2);
    });
  }
};

// A tile's staged columns on their way to the output.
class Writer {
 public:
  // Nothing to write.
  Writer() = default;

  // `cols` columns of so many bytes. carry: a line for each. first, last: whether nothing is above
  // the runs, or below them.
  Writer(uint8_t* staged, int64_t pitch, int64_t bytes, int64_t cols, uint8_t* out,
         int64_t out_pitch, uint8_t* carry, bool first, bool last)
      : staged_(staged),
        out_(out),
        carry_(carry),
        pitch_(pitch),
        out_pitch_(out_pitch),
        bytes_(bytes),
        cols_(cols),
        first_(first),
        last_(last) {
    if (cols_ != 0) begin_column();
  }

  int64_t lines() const { return cols_ * (bytes_ / kLine + 1); }

  HWY_INLINE void write(int64_t lines) {
    for (; lines > 0 && cols_ != 0; --lines) {
      if (at_ + kLine <= bytes_) {
        stream_line(staged_ + at_, out_ + at_);
        at_ += kLine;
      } else {
        end_column();
      }
    }
  }

  void write_all() {
    while (cols_ != 0) write(cols_ * (bytes_ / kLine + 2));
  }

 private:
  HWY_INLINE void begin_column() {
    const auto shift = static_cast<int64_t>(reinterpret_cast<uintptr_t>(out_) % kLine);
    if (!first_) {
      copy_line(carry_, staged_ - kLine);
      at_ = -shift;
    } else {
      at_ = shift == 0 ? 0 : kLine - shift;
      std::memcpy(out_, staged_, static_cast<size_t>(at_));
    }
  }

  HWY_INLINE void end_column() {
    if (last_)
      std::memcpy(out_ + at_, staged_ + at_, static_cast<size_t>(bytes_ - at_));
    else
      copy_line(staged_ + bytes_ - kLine, carry_);
    staged_ += pitch_;
    out_ += out_pitch_;
    carry_ += kLine;
    if (--cols_ != 0) begin_column();
  }

  uint8_t* staged_ = nullptr;
  uint8_t* out_ = nullptr;
  uint8_t* carry_ = nullptr;
  int64_t pitch_ = 0, out_pitch_ = 0, bytes_ = 0, cols_ = 0, at_ = 0;
  bool first_ = false, last_ = false;
};

// Asks for a tile of the input, row by row. Harmless beyond its end.
struct TileAhead {
  const uint8_t* row;  // null: for none
  int64_t pitch, bytes;
  int level;  // of the caches

  HWY_INLINE void step(int64_t rows) {
    if (row == nullptr) return;
    for (; rows > 0; --rows, row += pitch) {
      const uint8_t* line = row - reinterpret_cast<uintptr_t>(row) % kLine;
      for (; line < row + bytes; line += kLine) ask_for(line, level);
    }
  }
};

template <class Transposer>
class Walk {
 public:
  explicit Walk(const Rectangle& r)
      : r_(r),
        transposer_(r.shape.unit),
        down_(r.shape.down(r.row_end - r.row_begin)),
        across_(r.shape.across(r.col_end - r.col_begin)),
        strip_(strip_tiles(r.shape)) {}

  void walk() {
    Place far{};
    for (int64_t i = 0; i < kLead; ++i) advance(far);
    Place near{};
    advance(near);
    Writer writer;
    int staging = 0;
    for (Place at{}; at.tile < across_; advance(at), advance(near), advance(far)) {
      const Part rows = rows_of(at), cols = cols_of(at);
      uint8_t* const staged = r_.scratch + staging * r_.shape.staged_bytes() + r_.shape.pitch();
      const Tile tile{.in = in_at(r_.in, rows, cols),
                      .in_pitch = r_.in_pitch,
                      .unit = r_.shape.unit,
                      .rows = rows.extent,
                      .cols = cols.extent,
                      .left = (r_.cols - cols.begin) * r_.shape.unit,
                      .to = staged,
                      .pitch = r_.shape.pitch()};
      transpose(tile, writer, ahead(near, 1), ahead(far, 2));
      const int64_t in_strip = cols.begin - r_.col_begin - at.strip * strip_ * r_.shape.cols;
      writer = Writer(staged, tile.pitch, rows.extent * tile.unit, cols.extent,
                      r_.out + cols.begin * r_.out_pitch + rows.begin * tile.unit, r_.out_pitch,
                      carry() + in_strip * kLine, at.down == 0, at.down + 1 == down_);
      staging ^= 1;
    }
    writer.write_all();
  }

 private:
  static constexpr int64_t kLead = 2;  // tiles

  // Of a tile: its strip, its rows and its columns, in tiles. Behind the last one `tile` is
  // across_.
  struct Place {
    int64_t strip, down, tile;
  };
  struct Part {
    int64_t begin, extent;
  };

  void advance(Place& at) const {
    if (at.tile == across_) return;
    const int64_t begin = at.strip * strip_, end = std::min(begin + strip_, across_);
    if (++at.tile < end) return;
    if (++at.down < down_) {
      at.tile = begin;
    } else {
      ++at.strip;
      at.down = 0;
    }
  }

  Part rows_of(const Place& at) const {
    const int64_t begin = r_.row_begin + at.down * r_.shape.rows;
    return {begin, at.down + 1 == down_ ? r_.row_end - begin : r_.shape.rows};
  }
  Part cols_of(const Place& at) const {
    const int64_t begin = r_.col_begin + at.tile * r_.shape.cols;
    return {begin, at.tile + 1 == across_ ? r_.col_end - begin : r_.shape.cols};
  }

  const uint8_t* in_at(const uint8_t* in, const Part& rows, const Part& cols) const {
    return in + rows.begin * r_.in_pitch + cols.begin * r_.shape.unit;
  }

  TileAhead ahead(const Place& at, int level) const {
    const bool is_there = at.tile < across_;
    const uint8_t* const matrix = is_there ? r_.in : r_.next;
    if (matrix == nullptr) return {};
    const Place place = is_there ? at : Place{};
    const Part cols = cols_of(place);
    return {in_at(matrix, rows_of(place), cols), r_.in_pitch, cols.extent * r_.shape.unit, level};
  }

  uint8_t* carry() const { return r_.scratch + 2 * r_.shape.staged_bytes(); }

  // Transposes a tile while another one is written and others are asked for.
  HWY_NOINLINE void transpose(const Tile& tile, Writer& writer, TileAhead near,
                              TileAhead far) const {
    constexpr int64_t kStep = Transposer::kStep;
    Writer w = writer;  // a member of another object would be stored and loaded again at every step
    const int64_t each = host::ceil_div(w.lines(), host::ceil_div(tile.rows, kStep));
    for (int64_t row = 0; row < tile.rows; row += kStep) {
      transposer_.transpose(tile, std::min(row, tile.rows - kStep));
      near.step(kStep);
      far.step(kStep);
      w.write(each);
    }
    w.write_all();
    writer = w;
  }

  const Rectangle& r_;
  Transposer transposer_;
  int64_t down_, across_;  // tiles
  int64_t strip_;          // tiles of a strip
};

}  // namespace HWY_NAMESPACE
}  // namespace host_odd
HWY_AFTER_NAMESPACE();

#endif
