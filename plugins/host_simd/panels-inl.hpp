// Transposes a rectangle with a short side in panels that have all of it, a strip of tiles at a
// time: into one of two staging buffers in registers, while all whole lines of the strip before it
// are written to memory and the next panel is asked for, a line each at every step of a tile.
//
//  * Down, where rows are short: a panel has a few lines of every output row. Bytes of a line that
//    it begins and the next panel ends wait in `carry`.
//  * Across, where columns are short and output rows follow each other without gaps: a panel is one
//    strip, whose output is one run. A line that two output rows share is put together before the
//    second one.
//
// So all lines but those at the ends of the rectangle are written whole, and once, whatever the
// alignment of the rows. NOTES.md compares the walk of stream_walk-inl.hpp.
//
// Included once for each target of Highway, as register_tile-inl.hpp is.
#include <algorithm>
#include <cstring>
#include <limits>

#include "../kit/host/ceil_div.hpp"
#include "../kit/host/lines-inl.hpp"
#include "../kit/host/register_tile-inl.hpp"
#include "rectangle.hpp"

#if defined(XPOSE_HOST_SIMD_PANELS) == defined(HWY_TARGET_TOGGLE)
#ifdef XPOSE_HOST_SIMD_PANELS
#undef XPOSE_HOST_SIMD_PANELS
#else
#define XPOSE_HOST_SIMD_PANELS
#endif

HWY_BEFORE_NAMESPACE();
namespace host_simd {
namespace HWY_NAMESPACE {

using namespace host::HWY_NAMESPACE;

// Asks for so many lines of each row, one at every step, and unlike LinesAhead for no more where a
// row does not begin with a line. Harmless beyond the matrix.
struct RowsAhead {
  int level = 0;  // of the caches; 0: nothing is asked for
  const uint8_t* row = nullptr;
  int64_t pitch = 0;  // bytes
  int64_t lines = 0;
  int64_t line = 0;

  HWY_INLINE void step() {
    if (level == 0) return;
    ask_for(row + line * kLine, level);
    if (++line == lines) {
      line = 0;
      row += pitch;
    }
  }
};

// Writes the whole lines of a staged strip, one at every step.
struct StripWriter {
  const uint8_t* staged = nullptr;  // a column, which is an output row
  uint8_t* out = nullptr;
  int64_t staged_pitch = 0, out_pitch = 0, bytes = 0;
  int columns = 0;  // that are left
  int heads = 0;    // of these, the first ones whose first line is written if it is not whole
  int64_t at = 0, end = 0;

  // Goes to the next column that has a line, from this one on.
  HWY_INLINE void begin() {
    for (; columns > 0; next()) {
      const auto shift = static_cast<int64_t>(reinterpret_cast<uintptr_t>(out) % kLine);
      at = heads > 0 && shift != 0 ? kLine - shift : -shift;
      end = (shift + bytes) / kLine * kLine - shift;
      if (at < end) return;
    }
  }

  HWY_INLINE void next() {
    staged += staged_pitch;
    out += out_pitch;
    --columns;
    --heads;
  }

  HWY_INLINE void step() {
    if (columns <= 0) return;
    stream_line(staged + at, out + at);
    at += kLine;
    if (at == end) {
      next();
      begin();
    }
  }
};

template <int Size>
class PanelWalk {
 public:
  explicit PanelWalk(const Rectangle& r)
      : r_(r),
        pitch_(panel_pitch(column_bytes())),
        carry_(r.carry),
        staged_(r.carry + carried_lines(r.panels, r.col_end - r.col_begin) * kLine) {}

  void walk() {
    if (r_.panels == Panels::kDown)
      walk_down();
    else
      walk_across();
    while (writer_.columns > 0) writer_.step();
  }

 private:
  static constexpr int kSide = kLine / Size;
  static constexpr int64_t kRows = panel_lines(Size) * kSide;
  static constexpr int64_t kPanelsAhead = 8;

  int64_t column_bytes() const {
    return (r_.panels == Panels::kDown ? kRows + kSide : r_.row_end - r_.row_begin) * Size;
  }

  const uint8_t* at(int64_t row, int64_t col) const {
    return r_.in + row * r_.in_pitch + col * Size;
  }

  // Of the panel down that begins with a row.
  int64_t panel_rows(int64_t row) const {
    const int64_t left = r_.row_end - row;
    return left - kRows < kSide ? left : kRows;
  }

  // Asks for lines of the next panel's rows; in the last panel, for the next rectangle.
  RowsAhead down_ahead(int64_t row, bool last) const {
    const int64_t cols = r_.col_end - r_.col_begin;
    const bool dense = r_.in_pitch == cols * Size;
    return {.level = last && r_.next == nullptr ? 0 : r_.ahead,
            .row = last ? r_.next : at(row, r_.col_begin),
            .pitch = r_.in_pitch,
            .lines = dense ? std::numeric_limits<int64_t>::max()
                           : host::ceil_div(cols * Size, int64_t{kLine})};
  }

  // Asks for panels of the same rows, from a column on, whose first line a neighbour has; behind
  // the last one, for the next rectangle.
  RowsAhead across_ahead(int64_t col, int64_t panels) const {
    const bool last = col >= r_.col_end;
    return {.level = last && r_.next == nullptr ? 0 : r_.ahead,
            .row = last ? r_.next : at(r_.row_begin, col) + kLine - 1,
            .pitch = r_.in_pitch,
            .lines = panels};
  }

  // The lines with which columns end are fetched before they are written in part.
  void ask_for_ends(int64_t col, int64_t end) const {
    for (; col < end; ++col)
      __builtin_prefetch(r_.out + col * r_.out_pitch + r_.row_end * Size, 1, 3);
  }

  void walk_down() {
    for (int64_t row = r_.row_begin, rows = 0; row < r_.row_end; row += rows) {
      rows = panel_rows(row);
      const bool first = row == r_.row_begin, last = row + rows == r_.row_end;
      ahead_ = down_ahead(row + rows, last);
      for (int64_t c = r_.col_begin; c < r_.col_end; c += kSide) {
        const int64_t done = std::max<int64_t>(0, c + kSide - r_.col_end), col = c - done;
        uint8_t* const staged = other_buffer();
        uint8_t* const carry = carry_ + (col - r_.col_begin) * kLine;
        if (!first)
          for (int64_t i = done; i < kSide; ++i) copy_line(carry + i * kLine, staged + i * pitch_);
        const uint8_t* const columns = fill(row, rows, col, staged);
        if (!last)
          for (int64_t i = done; i < kSide; ++i)
            copy_line(staged + i * pitch_ + rows * Size, carry + i * kLine);
        const int heads = first ? kSide : 0;
        if (first) ask_for_ends(col + done, col + kSide);
        write({.staged = columns + done * pitch_,
               .out = r_.out + (col + done) * r_.out_pitch + row * Size,
               .staged_pitch = pitch_,
               .out_pitch = r_.out_pitch,
               .bytes = rows * Size,
               .columns = static_cast<int>(kSide - done),
               .heads = heads},
              last ? kSide : 0);
      }
    }
  }

  void walk_across() {
    const int64_t rows = r_.row_end - r_.row_begin, bytes = rows * Size;
    // The last panels are as many as any: they ask for the first ones of the next rectangle.
    const int64_t panels = host::ceil_div(r_.col_end - r_.col_begin, int64_t{kSide});
    int64_t left = r_.next == nullptr ? kPanelsAhead : (panels - 1) % kPanelsAhead + 1;
    for (int64_t c = r_.col_begin; c < r_.col_end; c += kSide) {
      const int64_t done = std::max<int64_t>(0, c + kSide - r_.col_end), col = c - done;
      const bool first = c == r_.col_begin, last = c + kSide >= r_.col_end;
      if (first || left == 0) {
        if (!first) left = kPanelsAhead;
        ahead_ = across_ahead(c + left * kSide, std::min(panels, kPanelsAhead));
      }
      --left;
      uint8_t* const staged = other_buffer();
      const uint8_t* const columns = fill(r_.row_begin, rows, col, staged);
      if (!first) copy_line(carry_, staged + done * pitch_);
      for (int64_t i = done; i < kSide; ++i)
        copy_line(staged + i * pitch_ + bytes, i + 1 < kSide ? staged + (i + 1) * pitch_ : carry_);
      write({.staged = columns + done * pitch_,
             .out = r_.out + (col + done) * r_.out_pitch + r_.row_begin * Size,
             .staged_pitch = pitch_,
             .out_pitch = r_.out_pitch,
             .bytes = bytes,
             .columns = static_cast<int>(kSide - done),
             .heads = first ? 1 : 0},
            last ? 1 : 0);
    }
  }

  uint8_t* other_buffer() {
    buffer_ = 1 - buffer_;
    return staged_ + buffer_ * kSide * pitch_;
  }

  // Stages the tiles of kSide columns, a column every pitch_ bytes behind room for a line, and
  // returns where the first one begins. The last tile is moved up over elements that are done, of
  // another share where this one has less.
  HWY_NOINLINE const uint8_t* fill(int64_t row, int64_t rows, int64_t col, uint8_t* staged) {
    const int64_t lead = std::max<int64_t>(0, kSide - rows);
    const int64_t in_pitch = r_.in_pitch, pitch = pitch_;
    RowsAhead ahead = ahead_;  // a member would be stored and loaded again at every step
    StripWriter writer = writer_;
    for (int64_t r = 0; r < rows; r += kSide) {
      const int64_t top = std::min(r, rows - kSide);
      uint8_t* HWY_RESTRICT const to = staged + kLine + (top + lead) * Size;
      transpose_tile<Size>(
          at(row + top, col), in_pitch,
          [&](int c, int part, Vector v)
              XPOSE_INLINE { hn::StoreU(v, Bytes(), to + c * pitch + part * kVector); },
          [&]() XPOSE_INLINE {
            ahead.step();
            writer.step();
          });
    }
    ahead_ = ahead;
    while (writer.columns > 0) writer.step();
    return staged + kLine + lead * Size;
  }

  // Leaves a strip's whole lines to the tiles that follow. Lines at the ends of the rectangle are
  // written in part at once: of so many columns the first ones, and of the last ones the last.
  HWY_NOINLINE void write(StripWriter strip, int tails) {
    const auto shift_of = [&](int64_t i) {
      return static_cast<int64_t>(reinterpret_cast<uintptr_t>(strip.out + i * strip.out_pitch) %
                                  kLine);
    };
    for (int64_t i = 0; i < std::min(strip.heads, strip.columns); ++i)
      if (const int64_t shift = shift_of(i); shift != 0)
        std::memcpy(strip.out + i * strip.out_pitch, strip.staged + i * pitch_,
                    static_cast<size_t>(std::min(kLine - shift, strip.bytes)));
    for (int64_t i = std::max(0, strip.columns - tails); i < strip.columns; ++i) {
      const int64_t shift = shift_of(i), end = (shift + strip.bytes) / kLine * kLine - shift;
      const bool in_head = i < strip.heads && end < 0;
      if (!in_head)
        std::memcpy(strip.out + i * strip.out_pitch + end, strip.staged + i * pitch_ + end,
                    static_cast<size_t>(strip.bytes - end));
    }
    writer_ = strip;
    writer_.begin();
  }

  const Rectangle& r_;
  const int64_t pitch_;
  uint8_t* const carry_;   // a line for each column, or one
  uint8_t* const staged_;  // two buffers
  int buffer_ = 0;
  RowsAhead ahead_;
  StripWriter writer_;
};

}  // namespace HWY_NAMESPACE
}  // namespace host_simd
HWY_AFTER_NAMESPACE();

#endif
