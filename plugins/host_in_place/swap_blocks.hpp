// Two blocks that lie across the diagonal change places, each transposed through a buffer, so that
// rows of the matrix are read and written in whole runs of lines. At a power-of-two leading
// dimension the lines of a column share a few cache sets: what is left half written there is lost
// before its other half comes. 4096x4096 of 4 bytes, 2 cores of an EPYC (Zen 5): 93 % of the
// fastest copy through buffers, 27 % by swapping granules directly, in one run (2026-11-21). On 2
// cores of a Xeon, whole tiles in wide vectors against granules of 16-byte rows: 65 and 72 %, with
// padded rows 80 and 94, bytes 52 and 68 (2026-11-22).
//
// Included once for each target of Highway, as register_tile.hpp is.
#include <algorithm>
#include <cstring>

#include "../host_simd/register_tile.hpp"
#include "granule.hpp"
#include "pairs.hpp"

#if defined(XPOSE_HOST_IN_PLACE_SWAP_BLOCKS) == defined(HWY_TARGET_TOGGLE)
#ifdef XPOSE_HOST_IN_PLACE_SWAP_BLOCKS
#undef XPOSE_HOST_IN_PLACE_SWAP_BLOCKS
#else
#define XPOSE_HOST_IN_PLACE_SWAP_BLOCKS
#endif

HWY_BEFORE_NAMESPACE();
namespace host_in_place {
namespace HWY_NAMESPACE {

namespace simd = host_simd::HWY_NAMESPACE;

// A block of rows x cols elements at `at`, in a matrix whose rows are pitch bytes apart.
struct Block {
  uint8_t* at;
  int64_t rows;
  int64_t cols;
};

// Asks for a block's rows one by one, while others are worked on: prefetches that come all at once
// wait for each other. By whole lines, into the second level; the first has the buffers.
template <int Bytes>
class Prefetch {
 public:
  Prefetch(const Block& block, int64_t pitch) : block_(block), pitch_(pitch) {}

  // Up to and without this row.
  HWY_INLINE void until(int64_t row) {
    for (row = std::min(row, block_.rows); next_ < row; ++next_)
      for (int64_t byte = 0; byte < block_.cols * Bytes; byte += simd::kLine)
        __builtin_prefetch(block_.at + next_ * pitch_ + byte, 0, 2);
  }

 private:
  Block block_;
  int64_t pitch_;
  int64_t next_ = 0;
};

template <int Bytes, int RunBytes>
class SwapBlocks {
 public:
  static constexpr int64_t kSide = RunBytes / Bytes;  // elements of a block

  explicit SwapBlocks(int64_t pitch) : pitch_(pitch) {}

  // The later ones are what will be worked on soon.
  void swap(const Block& upper, const Block& lower, const Block& later_upper,
            const Block& later_lower) {
    Prefetch<Bytes> right(later_upper, pitch_), left(later_lower, pitch_);
    fill(first_, upper, right);
    fill(second_, lower, left);
    empty(second_, upper, right);
    empty(first_, lower, left);
  }

  void transpose(const Block& diagonal, const Block& later) {
    Prefetch<Bytes> ahead(later, pitch_);
    fill(first_, diagonal, ahead);
    empty(first_, diagonal, ahead);
  }

 private:
  using Buffer = uint8_t[kSide * RunBytes];

  // The buffer becomes the block's transpose; half of the later rows are asked for.
  HWY_NOINLINE void fill(Buffer& buffer, const Block& block, Prefetch<Bytes>& later) const {
    constexpr int64_t kTile = simd::kLine / Bytes;
    if (block.rows < kTile || block.cols < kTile) return fill_small(buffer, block);
    for (int64_t r = 0; r < block.rows; r += kTile)
      for (int64_t c = 0; c < block.cols; c += kTile) {
        later.until((r + kTile * (c + kTile) / block.cols + 1) / 2);
        // The last ones lie over elements that are done.
        const int64_t row = std::min(r, block.rows - kTile), col = std::min(c, block.cols - kTile);
        uint8_t* HWY_RESTRICT const to = buffer + col * RunBytes + row * Bytes;
        simd::transpose_tile<Bytes>(
            block.at + row * pitch_ + col * Bytes, pitch_,
            [&](int column, int part, simd::Vector v) XPOSE_INLINE {
              simd::hn::StoreU(v, simd::Bytes(), to + column * RunBytes + part * simd::kVector);
            },
            []() XPOSE_INLINE {});
      }
  }

  // A block that is less than a tile high or wide.
  HWY_NOINLINE void fill_small(Buffer& buffer, const Block& block) const {
    constexpr int64_t kGranule = host::Granule<Bytes>::kSide;
    const int64_t rows = block.rows / kGranule * kGranule, cols = block.cols / kGranule * kGranule;
    for (int64_t r = 0; r < rows; r += kGranule)
      for (int64_t c = 0; c < cols; c += kGranule)
        host::Granule<Bytes>::transpose(block.at + r * pitch_ + c * Bytes, pitch_,
                                        buffer + c * RunBytes + r * Bytes, RunBytes);
    for (int64_t r = 0; r < block.rows; ++r)
      for (int64_t c = r < rows ? cols : 0; c < block.cols; ++c)
        std::memcpy(buffer + c * RunBytes + r * Bytes, block.at + r * pitch_ + c * Bytes, Bytes);
  }

  // The block's rows become the buffer's; the other half is asked for.
  HWY_NOINLINE void empty(const Buffer& buffer, const Block& block, Prefetch<Bytes>& later) const {
    for (int64_t r = 0; r < block.rows; ++r) {
      later.until((kSide + r) / 2 + 1);
      if (block.cols == kSide)
        std::memcpy(block.at + r * pitch_, buffer + r * RunBytes, RunBytes);
      else
        std::memcpy(block.at + r * pitch_, buffer + r * RunBytes,
                    static_cast<size_t>(block.cols) * Bytes);
    }
  }

  alignas(simd::kLine) Buffer first_;
  alignas(simd::kLine) Buffer second_;
  int64_t pitch_;
};

// The pairs [first, last) of blocks of `RunBytes` a row change places.
template <int Bytes, int RunBytes>
void swap_pairs(const Squares& squares, int64_t first, int64_t last) {
  using Swap = SwapBlocks<Bytes, RunBytes>;
  constexpr int kAhead = 256 / RunBytes;  // pairs, so that as many bytes are on their way
  const int64_t blocks = blocks_of(squares.side, Bytes, RunBytes);
  const auto block = [&](int64_t matrix, int64_t row, int64_t col) -> Block {
    const int64_t r = row * Swap::kSide, c = col * Swap::kSide;
    return {squares.at + matrix * squares.stride + r * squares.pitch + c * Bytes,
            std::min(Swap::kSide, squares.side - r), std::min(Swap::kSide, squares.side - c)};
  };
  Swap exchange(squares.pitch);
  Pair pair = Pair::at(first, blocks), later = pair;
  for (int i = 0; i < kAhead; ++i) later = later.next(blocks);
  for (int64_t step = first; step < last; ++step) {
    if (step + kAhead >= last) later = pair;  // nothing is left to ask for
    const Block upper = block(pair.matrix, pair.row, pair.col);
    const Block later_upper = block(later.matrix, later.row, later.col);
    if (pair.row == pair.col)
      exchange.transpose(upper, later_upper);
    else
      exchange.swap(upper, block(pair.matrix, pair.col, pair.row), later_upper,
                    block(later.matrix, later.col, later.row));
    pair = pair.next(blocks);
    later = later.next(blocks);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace host_in_place
HWY_AFTER_NAMESPACE();

#endif
