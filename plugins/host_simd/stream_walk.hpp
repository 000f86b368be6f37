// Transposes a rectangle of a large matrix by non-temporal stores of whole aligned lines, whatever
// the alignment of the output rows, in three overlapped stages that each move a line at every step
// of a tile:
//  * prefetch a block ahead, one or two tiles high and kBlockLines lines wide, row by row: memory
//    delivers runs of lines of a row faster than single lines of many rows;
//  * transpose a tile of this block in registers into a staging buffer in the first-level cache;
//  * stream the oldest tiles from another staging buffer to memory, one or two whole lines of an
//    output row together. Where the leading dimension is a power of two, lines to many rows at a
//    time fall into the same few sets and channels.
// An output row at an address that is no multiple of a line is shifted as it leaves the staging
// buffer: its lines begin up to 63 bytes before the block, with bytes that the block above left in
// `carry_`. Blocks then follow each other down the columns; else along the rows.
//
// Measured on 2 cores of an EPYC (Zen 5) against the fastest copy: 8192^2 bytes 47 % when tiles
// store to memory directly, 67 % through the staging buffer; 8192^2 of 2 bytes 88 and 99 %. 512^2
// of 4 bytes in the cache, one thread, ordinary stores: 93 us directly, 33 us through the buffer.
//
// Included once for each target of Highway, as register_tile.hpp is.
#include <hwy/cache_control.h>

#include <algorithm>
#include <cstring>

#include "rectangle.hpp"
#include "register_tile.hpp"

#if defined(XPOSE_HOST_SIMD_STREAM_WALK) == defined(HWY_TARGET_TOGGLE)
#ifdef XPOSE_HOST_SIMD_STREAM_WALK
#undef XPOSE_HOST_SIMD_STREAM_WALK
#else
#define XPOSE_HOST_SIMD_STREAM_WALK
#endif

HWY_BEFORE_NAMESPACE();
namespace host_simd {
namespace HWY_NAMESPACE {

HWY_INLINE void stream_line(const uint8_t* HWY_RESTRICT from, uint8_t* HWY_RESTRICT to) {
  unroll<kLine / kVector>([&](auto part) XPOSE_INLINE {
    hn::Stream(hn::LoadU(Bytes(), from + part * kVector), Bytes(), to + part * kVector);
  });
}

HWY_INLINE void copy_line(const uint8_t* HWY_RESTRICT from, uint8_t* HWY_RESTRICT to) {
  unroll<kLine / kVector>([&](auto part) XPOSE_INLINE {
    hn::StoreU(hn::LoadU(Bytes(), from + part * kVector), Bytes(), to + part * kVector);
  });
}

// Whole aligned lines by non-temporal stores, the ragged ends by memcpy.
inline void stream_bytes(const uint8_t* from, uint8_t* to, int64_t bytes) {
  const int64_t head = std::min<int64_t>(-reinterpret_cast<uintptr_t>(to) % kLine, bytes);
  std::memcpy(to, from, static_cast<size_t>(head));
  int64_t at = head;
  for (; at + kLine <= bytes; at += kLine) stream_line(from + at, to + at);
  std::memcpy(to + at, from + at, static_cast<size_t>(bytes - at));
}

enum class Output {
  kCached,          // ordinary stores, at any addresses
  kAlignedLines,    // every output row is aligned to lines
  kUnalignedLines,  // not every one
};

// The object is large; it lives on the thread's stack.
template <int Size, Output Out>
class Walk {
 public:
  static constexpr int kSide = kLine / Size;
  static constexpr int kMaxRun = 2;

  // run: lines of an output row written together, 1 or 2 (1 where the rectangle has no more rows).
  Walk(const Rectangle& r, int run) : r_(r), run_(run), block_rows_(run * kSide) {}

  void walk() {
    const int64_t height = r_.row_end - r_.row_begin, width = r_.col_end - r_.col_begin;
    const int64_t across = (width + kBlockCols - 1) / kBlockCols;  // blocks
    const int64_t down = (height + block_rows_ - 1) / block_rows_;
    // Blocks of narrow matrices are small: the memory needs more of a lead than one of them.
    const int64_t lead =
        1 + kLeadBytes / (block_rows_ * std::min<int64_t>(width, kBlockCols) * Size);
    for (int64_t i = 0; i < across * down; ++i) {
      const int64_t ahead = std::min(i + lead, across * down - 1);
      const Block next = block(ahead, across, down);
      next_ = {row(next.row) + next.col * Size, r_.in_pitch, (next.cols * Size + kLine - 1) / kLine,
               next.cols * Size - 1, 0};
      transpose(block(i, across, down));
    }
    write_pending();
  }

 private:
  static constexpr bool kCarry = Out == Output::kUnalignedLines;
  // Bytes carried from block to block stay in the second-level cache.
  static constexpr int64_t kBlockLines = kCarry && Size == 1 ? 16 : 32;
  static constexpr int64_t kBlockCols = kBlockLines * kSide;
  static constexpr int64_t kLeadBytes = 16 * 1024;
  // Lines that are shifted are loaded across two stores, which cannot be forwarded but must have
  // reached the cache: they wait for one more group (4095x4097 of 4 bytes: 58 % of the fastest copy
  // without that, 70 % with it).
  static constexpr int kBuffers = kCarry ? 3 : 2;
  static constexpr int kPitch =
      (1 + kMaxRun) * kLine;  // of a staged row: the carried line, then its lines

  struct Block {
    int64_t row, rows, col, cols;
  };

  // Prefetches the lines of a block, row by row. Harmless beyond its end.
  struct Prefetcher {
    const uint8_t* row;
    int64_t pitch;  // bytes
    int64_t lines;  // of a row
    int64_t end;    // the offset of a row's last byte
    int64_t line;

    HWY_INLINE void step() {
      hwy::Prefetch(row + line * kLine);
      if (++line == lines) {
        hwy::Prefetch(row + end);
        line = 0;
        row += pitch;
      }
    }
  };

  // Streams a staging buffer's lines, run of an output row at a time.
  struct Writer {
    const uint8_t* row;  // staged
    uint8_t* to;         // the output row
    int64_t pitch;       // bytes
    int64_t run;         // bytes
    int64_t at = 0;

    HWY_INLINE void step() {
      const int64_t shifted = at - shift_of(to);
      if constexpr (Out == Output::kCached)
        copy_line(row + shifted, to + shifted);
      else
        stream_line(row + shifted, to + shifted);
      at += kLine;
      if (at == run) {
        at = 0;
        row += kPitch;
        to += pitch;
      }
    }
  };

  Block block(int64_t i, int64_t across, int64_t down) const {
    const int64_t row = r_.row_begin + (kCarry ? i % down : i / across) * block_rows_;
    const int64_t col = r_.col_begin + (kCarry ? i / down : i % across) * kBlockCols;
    return {row, std::min(block_rows_, r_.row_end - row), col,
            std::min(kBlockCols, r_.col_end - col)};
  }

  // Bytes by which lines begin before an output row's address.
  static int64_t shift_of(const uint8_t* to) {
    return kCarry ? static_cast<int64_t>(reinterpret_cast<uintptr_t>(to) % kLine) : 0;
  }

  const uint8_t* row(int64_t row) const { return r_.in + row * r_.in_pitch; }

  uint8_t* carried(int64_t col) { return carry_ + (col - r_.col_begin) % kBlockCols * kLine; }

  void transpose(const Block& block) {
    const bool first = block.row == r_.row_begin, last = block.row + block.rows == r_.row_end;
    const bool whole_lines = block.rows == block_rows_ && !(kCarry && (first || last));
    for (int64_t c = 0; c < block.cols; c += kSide) {
      const bool whole = whole_lines && c + kSide <= block.cols;
      const int oldest = (staging_ + 1) % kBuffers;
      if (whole && pending_[oldest] != nullptr) {
        transpose_group(block.row, block.col + c, oldest);
      } else {
        if (!whole) write_pending();
        stage(block, c);
        if (!whole) {
          write_ragged(block, c);
          continue;
        }
      }
      pending_[staging_] = r_.out + (block.col + c) * r_.out_pitch + block.row * Size;
      staging_ = oldest;
      pending_[oldest] = nullptr;
    }
  }

  // Transposes run_ tiles, (run_ * kSide, kSide), into the staging buffer, and writes the oldest
  // one to memory.
  HWY_NOINLINE void transpose_group(int64_t row_begin, int64_t col, int oldest) {
    uint8_t* HWY_RESTRICT staged = staged_[staging_];
    uint8_t* const carry = kCarry ? carried(col) : nullptr;
    const uint8_t* in = row(row_begin) + col * Size;
    const int64_t in_pitch = r_.in_pitch;
    Prefetcher next = next_;  // a member would be stored and loaded again at every step
    Writer writer = writer_of(oldest);
    for (int tile = 0; tile < run_; ++tile) {
      const bool carries = kCarry && tile == run_ - 1;
      transpose_tile<Size>(
          in, in_pitch,
          [&](int c, int part, Vector v) XPOSE_INLINE {
            uint8_t* const line = staged + c * kPitch + part * kVector;
            hn::Store(v, Bytes(), line + kLine);
            if constexpr (kCarry) {
              if (carries) {
                uint8_t* const kept = carry + c * kLine + part * kVector;
                hn::Store(hn::Load(Bytes(), kept), Bytes(), line - tile * kLine);
                hn::Store(v, Bytes(), kept);
              }
            }
          },
          [&]() XPOSE_INLINE {
            if constexpr (Out != Output::kCached) next.step();
            writer.step();
          });
      in += kSide * in_pitch;
      staged += kLine;
    }
    next_ = next;
  }

  Writer writer_of(int buffer) {
    return {staged_[buffer] + kLine, pending_[buffer], r_.out_pitch, run_ * kLine};
  }

  HWY_NOINLINE void write_pending() {
    for (int k = 1; k < kBuffers; ++k) {
      const int buffer = (staging_ + k) % kBuffers;
      if (pending_[buffer] == nullptr) continue;
      Writer writer = writer_of(buffer);
      for (int line = 0; line < kSide * run_; ++line) writer.step();
      pending_[buffer] = nullptr;
    }
  }

  // Columns of the group at c that the group before it has done, because a tile may not stick out
  // of the matrix.
  static int64_t columns_done(const Block& block, int64_t c) {
    return std::max<int64_t>(0, c + kSide - block.cols);
  }

  // Transposes the tiles of a group into the staging buffer. Those that would stick out of the
  // matrix are moved back over elements that are done.
  HWY_NOINLINE void stage(const Block& block, int64_t c) {
    const int64_t done = columns_done(block, c), col = block.col + c - done;
    uint8_t* const staged = staged_[staging_] + kLine;
    if (kCarry && block.row != r_.row_begin)
      for (int64_t i = done; i < kSide; ++i)
        copy_line(carried(col + i), staged + i * kPitch - kLine);
    for (int64_t r = 0; r < block.rows; r += kSide) {
      const int64_t at = std::min(r, block.rows - kSide);
      transpose_tile_to<Size>(row(block.row + at) + col * Size, r_.in_pitch, staged + at * Size,
                              kPitch);
    }
    if (kCarry && block.rows == block_rows_)
      for (int64_t i = done; i < kSide; ++i)
        copy_line(staged + i * kPitch + (run_ - 1) * kLine, carried(col + i));
  }

  // Writes a group that is not whole, or of the first or last block of carried ones.
  HWY_NOINLINE void write_ragged(const Block& block, int64_t c) {
    const bool first = block.row == r_.row_begin, last = block.row + block.rows == r_.row_end;
    const int64_t done = columns_done(block, c), col = block.col + c - done;
    for (int64_t i = done; i < kSide; ++i) {
      uint8_t* const to = r_.out + (col + i) * r_.out_pitch + block.row * Size;
      const int64_t begin = first ? 0 : -shift_of(to);
      const int64_t end = block.rows * Size - (last ? 0 : shift_of(to));
      const uint8_t* const from = staged_[staging_] + kLine + i * kPitch;
      if constexpr (Out == Output::kCached)
        std::memcpy(to + begin, from + begin, static_cast<size_t>(end - begin));
      else
        stream_bytes(from + begin, to + begin, end - begin);
    }
  }

  const Rectangle& r_;
  const int run_;
  const int64_t block_rows_;
  Prefetcher next_ = {};
  uint8_t* pending_[kBuffers] = {};  // where the lines of a staging buffer go, unless it is empty
  int staging_ = 0;                  // the buffer to fill; the next one in the ring is the oldest
  alignas(kLine) uint8_t staged_[kBuffers][kSide * kPitch];            // (column, line)
  alignas(kLine) uint8_t carry_[kCarry ? kBlockCols * kLine : kLine];  // (column)
};

}  // namespace HWY_NAMESPACE
}  // namespace host_simd
HWY_AFTER_NAMESPACE();

#endif
