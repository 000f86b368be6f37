// Two blocks that lie across the diagonal change places tile by tile: one tile waits, transposed,
// in a buffer in the first-level cache while the other, transposed in registers, takes its place.
// Every line is read and written once, and the blocks of a later pair are asked for row by row
// meanwhile, since memory delivers runs of lines of a row faster than the single lines of a tile.
// Blocks that are not whole, at the ends of a matrix, change places through buffers of a block,
// which is slower.
//
// Included once for each target of Highway, as register_tile-inl.hpp is.
#include <algorithm>
#include <cstring>

#include "../kit/host/lines-inl.hpp"
#include "../kit/host/register_tile-inl.hpp"
#include "granule.hpp"
#include "kernels.hpp"

#if defined(XPOSE_HOST_IN_PLACE_SWAP_BLOCKS) == defined(HWY_TARGET_TOGGLE)
#ifdef XPOSE_HOST_IN_PLACE_SWAP_BLOCKS
#undef XPOSE_HOST_IN_PLACE_SWAP_BLOCKS
#else
#define XPOSE_HOST_IN_PLACE_SWAP_BLOCKS
#endif

HWY_BEFORE_NAMESPACE();
namespace host_in_place {
namespace HWY_NAMESPACE {

namespace simd = host::HWY_NAMESPACE;

// A block of rows x cols elements at `at`, in a matrix whose rows are pitch bytes apart.
struct Block {
  uint8_t* at;
  int64_t rows;
  int64_t cols;
};

template <int Bytes, int RunBytes>
class SwapBlocks {
 public:
  static constexpr int64_t kSide = RunBytes / Bytes;  // elements of a block

  explicit SwapBlocks(int64_t pitch) : pitch_(pitch) {}

  // The later blocks are prefetched.
  void swap(const Block& upper, const Block& lower, const Block& later_upper,
            const Block& later_lower) {
    simd::LinesAhead right = lines_of(later_upper), left = lines_of(later_lower);
    if (!is_whole(upper) || !is_whole(lower)) {
      fill(first_, upper, right);
      fill(second_, lower, left);
      empty(second_, upper);
      empty(first_, lower);
      return;
    }
    for (int64_t r = 0; r < kSide; r += kTile)
      for (int64_t c = 0; c < kSide; c += kTile)
        swap_tiles(at(upper, r, c), at(lower, c, r), right, left);
  }

  void transpose(const Block& diagonal, const Block& later_upper, const Block& later_lower) {
    simd::LinesAhead right = lines_of(later_upper), left = lines_of(later_lower);
    if (!is_whole(diagonal)) {
      fill(first_, diagonal, right);
      empty(first_, diagonal);
      return;
    }
    for (int64_t r = 0; r < kSide; r += kTile) {
      transpose_tile(at(diagonal, r, r), right, left);
      for (int64_t c = r + kTile; c < kSide; c += kTile)
        swap_tiles(at(diagonal, r, c), at(diagonal, c, r), right, left);
    }
  }

 private:
  static constexpr int64_t kTile = simd::kLine / Bytes;  // elements of a tile
  using Buffer = uint8_t[kSide * RunBytes];

  static bool is_whole(const Block& block) { return block.rows == kSide && block.cols == kSide; }

  uint8_t* at(const Block& block, int64_t row, int64_t col) const {
    return block.at + row * pitch_ + col * Bytes;
  }

  simd::LinesAhead lines_of(const Block& block) const {
    const int64_t bytes = block.cols * Bytes;
    return {2, block.at, pitch_, host::ceil_div(bytes, simd::kLine), bytes - 1, 0};
  }

  // The buffer becomes a tile's transpose.
  HWY_INLINE void wait(const uint8_t* HWY_RESTRICT tile, simd::LinesAhead& later) {
    simd::transpose_tile<Bytes>(
        tile, pitch_,
        [&](int c, int part, simd::Vector v) XPOSE_INLINE {
          simd::hn::Store(v, simd::Bytes(), waiting_ + c * simd::kLine + part * simd::kVector);
        },
        [&]() XPOSE_INLINE { later.step(); });
  }

  // The last row first: of more rows than a set of the cache has ways, which a power-of-two pitch
  // puts there together, the last are there still.
  HWY_INLINE void put_down(uint8_t* tile) const {
    for (int64_t r = kTile - 1; r >= 0; --r)
      simd::copy_line(waiting_ + r * simd::kLine, tile + r * pitch_);
  }

  HWY_NOINLINE void swap_tiles(uint8_t* upper, uint8_t* lower, simd::LinesAhead& right,
                               simd::LinesAhead& left) {
    const int64_t pitch = pitch_;
    simd::LinesAhead ahead = right;
    wait(upper, ahead);
    right = ahead;
    ahead = left;
    simd::transpose_tile<Bytes>(
        lower, pitch,
        [&](int c, int part, simd::Vector v) XPOSE_INLINE {
          simd::hn::StoreU(v, simd::Bytes(), upper + c * pitch + part * simd::kVector);
        },
        [&]() XPOSE_INLINE { ahead.step(); });
    left = ahead;
    put_down(lower);
  }

  HWY_NOINLINE void transpose_tile(uint8_t* tile, simd::LinesAhead& right, simd::LinesAhead& left) {
    wait(tile, right);
    put_down(tile);
    for (int64_t line = 0; line < kTile; ++line) left.step();
  }

  // The buffer becomes the block's transpose; later lines are asked for.
  HWY_NOINLINE void fill(Buffer& buffer, const Block& block, simd::LinesAhead& later) const {
    if (block.rows < kTile || block.cols < kTile) return fill_small(buffer, block);
    for (int64_t r = 0; r < block.rows; r += kTile)
      for (int64_t c = 0; c < block.cols; c += kTile) {
        // The last ones lie over elements that are done.
        const int64_t row = std::min(r, block.rows - kTile), col = std::min(c, block.cols - kTile);
        uint8_t* HWY_RESTRICT const to = buffer + col * RunBytes + row * Bytes;
        simd::transpose_tile<Bytes>(
            at(block, row, col), pitch_,
            [&](int column, int part, simd::Vector v) XPOSE_INLINE {
              simd::hn::StoreU(v, simd::Bytes(), to + column * RunBytes + part * simd::kVector);
            },
            [&]() XPOSE_INLINE { later.step(); });
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

  // The block's rows become the buffer's.
  HWY_NOINLINE void empty(const Buffer& buffer, const Block& block) const {
    for (int64_t r = 0; r < block.rows; ++r)
      std::memcpy(block.at + r * pitch_, buffer + r * RunBytes,
                  static_cast<size_t>(block.cols) * Bytes);
  }

  alignas(simd::kLine) uint8_t waiting_[kTile * simd::kLine];
  alignas(simd::kLine) Buffer first_;
  alignas(simd::kLine) Buffer second_;
  int64_t pitch_;
};

// The pairs [first, last) of blocks of `RunBytes` a row change places.
template <int Bytes, int RunBytes>
void swap_pairs(const Squares& squares, Order order, int64_t first, int64_t last) {
  using Swap = SwapBlocks<Bytes, RunBytes>;
  constexpr int kAhead = 256 / RunBytes;  // pairs, so that as many bytes are on their way
  const Pairs pairs(blocks_of(squares.side, Bytes, RunBytes), order);
  const auto block = [&](int64_t matrix, int64_t row, int64_t col) -> Block {
    const int64_t r = row * Swap::kSide, c = col * Swap::kSide;
    return {squares.at + matrix * squares.stride + r * squares.pitch + c * Bytes,
            std::min(Swap::kSide, squares.side - r), std::min(Swap::kSide, squares.side - c)};
  };
  Swap exchange(squares.pitch);
  Pair pair = pairs[first], later = pair;
  for (int i = 0; i < kAhead; ++i) later = pairs.after(later);
  for (int64_t step = first; step < last; ++step) {
    if (step + kAhead >= last) later = pair;  // nothing is left to ask for
    const Block upper = block(pair.matrix, pair.row, pair.col);
    const Block later_upper = block(later.matrix, later.row, later.col);
    const Block later_lower = block(later.matrix, later.col, later.row);
    if (pair.row == pair.col)
      exchange.transpose(upper, later_upper, later_lower);
    else
      exchange.swap(upper, block(pair.matrix, pair.col, pair.row), later_upper, later_lower);
    pair = pairs.after(pair);
    later = pairs.after(later);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace host_in_place
HWY_AFTER_NAMESPACE();

#endif
