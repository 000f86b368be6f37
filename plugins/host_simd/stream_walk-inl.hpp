// Transposes a rectangle by whole aligned lines, whatever the alignment of the output rows, in
// three overlapped stages that each move a line at every step of a tile:
//  * ask for a block ahead, a group of tiles high and kBlockLines lines wide, row by row: memory
//    delivers runs of lines of a row faster than single lines of many rows;
//  * transpose a group of tiles of this block in registers into a staging buffer in the first-level
//    cache;
//  * write the oldest group from another staging buffer to memory, all lines that it has of an
//    output row together, by non-temporal stores unless the output stays in the cache. Where the
//    leading dimension is a power of two, lines to many rows at a time fall into the same few sets
//    and channels.
// An output row that is not aligned to lines is shifted as it leaves the staging buffer: it begins
// up to 63 bytes before the block, with bytes that the block above left in the rectangle's `carry`.
// Blocks then follow each other along the rows of a strip of columns, before the rows below; else
// along whole rows. Memory that is scarce wants wide strips, whose runs of a row are long; a core
// that it outruns wants strips of one narrow block, whose carried bytes stay in the first level.
// NOTES.md has the gain of every stage.
//
// Included once for each target of Highway, as register_tile-inl.hpp is.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <numeric>

#include "../kit/host/ceil_div.hpp"
#include "../kit/host/lines-inl.hpp"
#include "../kit/host/register_tile-inl.hpp"
#include "blocks.hpp"
#include "line_writer-inl.hpp"
#include "rectangle.hpp"

#if defined(XPOSE_HOST_SIMD_STREAM_WALK) == defined(HWY_TARGET_TOGGLE)
#ifdef XPOSE_HOST_SIMD_STREAM_WALK
#undef XPOSE_HOST_SIMD_STREAM_WALK
#else
#define XPOSE_HOST_SIMD_STREAM_WALK
#endif

HWY_BEFORE_NAMESPACE();
namespace host_simd {
namespace HWY_NAMESPACE {

using namespace host::HWY_NAMESPACE;

enum class Output {
  kCached,          // ordinary stores, at any addresses
  kAlignedLines,    // every output row is aligned to lines
  kUnalignedLines,  // not every one
};

// Run: tiles of a group above each other, whose lines of an output row are written together. The
// object is large; it lives on the thread's stack.
template <int Size, Output Out, int Run>
class Walk {
 public:
  static constexpr int kSide = kLine / Size;

  explicit Walk(const Rectangle& r) : r_(r) {
    const int64_t high = (r.row_end - r.row_begin) / kSide,
                  wide = (r.col_end - r.col_begin) / kSide;
    if (high < Run)
      run_ = std::max(1, static_cast<int>(high)), wide_ = std::min(kTiles / run_, kMostWide);
    else if (wide < kWide)
      wide_ = 1, run_ = static_cast<int>(std::min<int64_t>(high, kMaxRun));
    if (wide < wide_) wide_ = 1;
    group_rows_ = run_ * kSide;
    group_cols_ = wide_ * kSide;
    constexpr int64_t kSets = 64;  // of the first level, on all processors of the last decade
    spread_ = kSets / std::gcd((std::abs(r.in_pitch) + kLine / 2) / kLine, kSets) >= 8;
  }

  void walk() {
    const int64_t width = r_.col_end - r_.col_begin;
    const int64_t block_cols = kCarry && r_.strip == 0 ? kBlockCols
                               : r_.near               ? kNearBlockCols
                               : kCarry                ? kStripBlock
                                                       : kBlockCols;
    const Blocks blocks(r_, group_rows_, block_cols,
                        kCarry ? std::max<int64_t>(r_.strip / block_cols, 1) : 0);
    // Blocks of narrow matrices are small: the memory needs more of a lead than one of them.
    const int64_t lead = 1 + kLeadBytes / (group_rows_ * std::min(width, block_cols) * Size);
    const int64_t last = blocks.count() - 1;
    for (int64_t i = 0; i <= last; ++i) {
      const Block later = blocks[std::min(i + lead, last)];
      far_ = {r_.ahead,
              at(later.row, later.col),
              r_.in_pitch,
              host::ceil_div(later.cols * Size, kLine),
              later.cols * Size - 1,
              0};
      // A block of one group is too short a time for the next one to arrive.
      const Block next = width < 2 * group_cols_ ? later : blocks[std::min(i + 1, last)];
      transpose(blocks[i], at(next.row, next.col));
    }
    write_pending();
  }

 private:
  static constexpr bool kCarry = Out == Output::kUnalignedLines;
  static constexpr bool kStreams = Out != Output::kCached;
  // Tiles of a group: Run above each other and kWide side by side, whose lines of an input row are
  // read together; where a side of the rectangle is too short for that, more of the other. Buffers
  // of more do not fit the first-level cache.
  static constexpr int kWide = Size < 4 ? 1 : 2;
  static constexpr int kTiles = Run * kWide;
  static constexpr bool kIsLong = kStreams && Run > 2;
  static constexpr int kMaxRun = kStreams && !kIsLong ? kTiles : Run;
  static constexpr int kMostWide = kIsLong ? kWide : kTiles;
  // Blocks of a strip are of kStripBlock columns, where it has more than one.
  static constexpr int64_t kBlockLines = kCarry ? (Size == 1 ? 16 : 32) : 32 * kWide;
  static constexpr int64_t kBlockCols = kBlockLines * kSide;
  static_assert(!kCarry || kBlockCols <= kStripBlock);
  // Near blocks are narrow, so that input is asked for shortly before its turn, which is faster.
  // Bytes two tiles high lose by blocks that are narrower still.
  static constexpr int64_t kNearBlockCols = (Size == 1 && Run > 1 ? 16 : 8) * kSide;
  static_assert(kStripBlock % kNearBlockCols == 0);
  static constexpr int64_t kLeadBytes = 16 * 1024;
  // Lines that are shifted are loaded across two stores, which cannot be forwarded but must have
  // reached the cache: they wait for one more group.
  static constexpr int kBuffers = kCarry ? 3 : 2;
  // Of a staged row: its lines and, where there is a carry, the line before them. A line to spare
  // would cost time in the cache.
  static constexpr int kPitch = (kStreams + kMaxRun) * kLine;
  static constexpr int kGroupBytes = kMostWide * kSide * kPitch;

  using Writer = LineWriter<kStreams, kCarry, kPitch>;

  const uint8_t* at(int64_t row, int64_t col) const {
    return r_.in + row * r_.in_pitch + col * Size;
  }

  uint8_t* carried(int64_t col) const { return r_.carry + (col - strip_) * kLine; }

  // A line before a staged row is writable.
  uint8_t* staged(int buffer) { return staged_ + kLine + buffer * kGroupBytes; }

  // Transposes a block; `next` is where the one after it begins.
  void transpose(const Block& block, const uint8_t* next) {
    strip_ = block.strip;
    const bool first = block.row == r_.row_begin, last = block.row + block.rows == r_.row_end;
    const bool whole_lines = block.rows == group_rows_ && !(kCarry && (first || last));
    int64_t c = 0;
    for (; whole_lines && c + group_cols_ <= block.cols; c += group_cols_) {
      const int oldest = (staging_ + 1) % kBuffers;
      if (pending_[oldest] != nullptr) {
        const bool ends = c + 2 * group_cols_ > block.cols;
        near_ = ends ? next : at(block.row, block.col + c + group_cols_);
        transpose_group(block.row, block.col + c, oldest);
      } else {
        for (int64_t tile = 0; tile < wide_; ++tile)
          stage(block, c + tile * kSide, tile * kSide * kPitch);
      }
      pending_[staging_] = r_.out + (block.col + c) * r_.out_pitch + block.row * Size;
      staging_ = oldest;
      pending_[oldest] = nullptr;
    }
    if (c < block.cols) write_pending();
    for (; c < block.cols; c += kSide) {
      stage(block, c, 0);
      write_ragged(block, c);
    }
  }

  // Transposes a group, (group_rows_, group_cols_), into the staging buffer, writes the oldest
  // one to memory, and asks for the next group and a part of a later block.
  HWY_NOINLINE void transpose_group(int64_t row_begin, int64_t col, int oldest) {
    const int64_t in_pitch = r_.in_pitch;
    LinesAhead far = far_;  // a member would be stored and loaded again at every step
    Writer writer = writer_of(oldest);
    for (int row = 0; row < run_; ++row) {
      const bool carries = kCarry && row == run_ - 1;
      const uint8_t* in = at(row_begin + row * kSide, col);
      const uint8_t* near = lines_of_next(row, in);
      uint8_t* HWY_RESTRICT to = staged(staging_) + row * kLine;
      uint8_t* carry = kCarry ? carried(col) : nullptr;
      for (int column = 0; column < wide_; ++column) {
        const uint8_t* line = near;
        transpose_tile<Size>(
            in, in_pitch,
            [&](int c, int part, Vector v) XPOSE_INLINE {
              uint8_t* const staged = to + c * kPitch + part * kVector;
              hn::Store(v, Bytes(), staged);
              if constexpr (kCarry) {
                if (carries) {
                  uint8_t* const kept = carry + c * kLine + part * kVector;
                  hn::Store(hn::Load(Bytes(), kept), Bytes(), staged - (row + 1) * kLine);
                  hn::Store(v, Bytes(), kept);
                }
              }
            },
            [&]() XPOSE_INLINE {
              hwy::Prefetch(line);
              line += in_pitch;
              if constexpr (kStreams) far.step();
              writer.step();
            });
        in += kLine;
        near += kLine;
        to += kSide * kPitch;
        carry += kSide * kLine;
      }
    }
    far_ = far;
  }

  // The lines that the tiles of a row of tiles at `in` ask for: the same rows of the next group or,
  // in the cache, the next rows of tiles. Where rows fall into few sets of the first-level cache
  // these would push each other out before their turn, and the tiles ask for lines that are there.
  const uint8_t* lines_of_next(int row, const uint8_t* in) const {
    if constexpr (kStreams) return spread_ ? near_ + row * kSide * r_.in_pitch : in;
    return row + 1 < run_ ? in + kSide * r_.in_pitch : near_;
  }

  Writer writer_of(int buffer) {
    return {staged(buffer), pending_[buffer], r_.out_pitch, run_ * kLine};
  }

  HWY_NOINLINE void write_pending() {
    for (int k = 1; k < kBuffers; ++k) {
      const int buffer = (staging_ + k) % kBuffers;
      if (pending_[buffer] == nullptr) continue;
      Writer writer = writer_of(buffer);
      for (int line = 0; line < group_cols_ * run_; ++line) writer.step();
      pending_[buffer] = nullptr;
    }
  }

  // Columns of the tiles at c that those before them have done, because a tile may not stick out of
  // the matrix.
  static int64_t columns_done(const Block& block, int64_t c) {
    return std::max<int64_t>(0, c + kSide - block.cols);
  }

  // Transposes the tiles at column c into the staging buffer, from that offset on. Those that would
  // stick out of the matrix are moved back over elements that are done.
  HWY_NOINLINE void stage(const Block& block, int64_t c, int64_t offset) {
    const int64_t done = columns_done(block, c), col = block.col + c - done;
    uint8_t* const to = staged(staging_) + offset;
    if (kCarry && block.row != r_.row_begin)
      for (int64_t i = done; i < kSide; ++i) copy_line(carried(col + i), to + i * kPitch - kLine);
    for (int64_t r = 0; r < block.rows; r += kSide) {
      const int64_t top = std::min(r, block.rows - kSide);
      transpose_tile_to<Size>(at(block.row + top, col), r_.in_pitch, to + top * Size, kPitch);
    }
    if (kCarry && block.rows == group_rows_)
      for (int64_t i = done; i < kSide; ++i)
        copy_line(to + i * kPitch + (run_ - 1) * kLine, carried(col + i));
  }

  // Writes the tiles that were staged from column c alone.
  HWY_NOINLINE void write_ragged(const Block& block, int64_t c) {
    const bool first = block.row == r_.row_begin, last = block.row + block.rows == r_.row_end;
    const int64_t done = columns_done(block, c), col = block.col + c - done;
    for (int64_t i = done; i < kSide; ++i) {
      uint8_t* const to = r_.out + (col + i) * r_.out_pitch + block.row * Size;
      const int64_t begin = first ? 0 : -shift_of<kCarry>(to);
      const int64_t end = block.rows * Size - (last ? 0 : shift_of<kCarry>(to));
      const uint8_t* const from = staged(staging_) + i * kPitch;
      if constexpr (kStreams)
        stream_bytes(from + begin, to + begin, end - begin);
      else
        std::memcpy(to + begin, from + begin, static_cast<size_t>(end - begin));
    }
  }

  const Rectangle& r_;
  int run_ = Run, wide_ = kWide;  // tiles of a group
  int64_t group_rows_, group_cols_;
  int64_t strip_ = 0;  // the first column of the strip
  LinesAhead far_ = {};
  const uint8_t* near_ = nullptr;    // where the next group begins
  bool spread_;                      // whether input rows fall into many sets of a cache
  uint8_t* pending_[kBuffers] = {};  // where the lines of a staging buffer go, unless it is empty
  int staging_ = 0;                  // the buffer to fill; the next one in the ring is the oldest
  alignas(kLine) uint8_t staged_[kLine + kBuffers * kGroupBytes];  // (column, line)
};

}  // namespace HWY_NAMESPACE
}  // namespace host_simd
HWY_AFTER_NAMESPACE();

#endif
