// The compiled kernels: the part of a tile of a thread, and the blocks that a multiprocessor has
// registers for. As much as spills nothing.
#pragma once

#include <cstdint>

namespace cuda_permute {

inline constexpr int kThreads = 256;  // of a block
inline constexpr int64_t kWord = 4;   // bytes
// Of a tile that is moved by runs. Which size is fastest differs from problem to problem, so that
// it goes with the run of the output that is wished for: the usual one is with the first.
constexpr int64_t run_tile_bytes(int64_t bytes, int64_t run) {
  constexpr int64_t kUsual = 256;
  if (run > kUsual) return 36 << 10;
  return (run == kUsual) == (bytes >= 4) ? 16 << 10 : 30 << 10;
}
inline constexpr int kRunBlocks = 6;  // of a multiprocessor
// Of a tile that is moved by runs, bytes that are loaded at once, and that are stored. `wide`: of
// long runs, where the ends that fill no word are few.
constexpr int64_t in_word(int64_t bytes, bool wide) { return wide || bytes == 8 ? 8 : kWord; }
constexpr int64_t out_word(int64_t bytes, bool wide) {
  return bytes >= 4 ? 16 : bytes * (wide ? 8 : 4);
}
inline constexpr int64_t kWideRun = 256;  // bytes of the runs of both sides
// Elements that have one entry in the table of places.
constexpr int64_t of_entry(int64_t bytes) { return bytes == 8 ? 2 : 4; }

// Elements that are joined to words by columns, and the bytes of a load then.
inline constexpr int64_t kWidestJoined = 2, kJoinedLoad = 16;
inline constexpr int kJoinedBlocks = 6;  // of a multiprocessor

struct Work {
  int count, blocks;
};

// Squares of side x side elements. `far`: with offsets of 64 bits. `by_column`: stored so, which
// takes the registers of more slots.
// `larger`: of a tile half as large again, in fewer blocks.
constexpr Work squares_of(int bytes, int side, bool far, bool by_column, bool larger = false) {
  if (far) return {8, 2};
  if (larger) return bytes == 4 ? Work{3, 2} : Work{6, 2};
  switch (bytes) {
    case 1:
      if (side == 8) return {2, by_column ? 2 : 3};
      return side == 4 ? Work{4, 2} : side == 2 ? Work{8, 2} : Work{16, 2};
    case 2:
      if (side == 8) return {1, by_column ? 2 : 3};
      return side == 4 ? Work{2, 4} : side == 2 ? Work{8, 2} : Work{16, 2};
    case 4:
      if (side == 4) return by_column ? Work{1, 4} : Work{2, 3};
      return side == 2 ? Work{4, 3} : Work{16, 2};
    case 8:
      if (side == 2) return by_column ? Work{2, 4} : Work{4, 3};
      return {8, 3};
    default:
      return {8, 2};
  }
}

constexpr bool have_larger_tiles(int bytes, int side, bool far, bool by_column) {
  return !far && !by_column && bytes * side == 16 && (bytes == 4 || bytes == 8);
}
// The run of the output that is wished for of such a tile.
inline constexpr int64_t kRunOfLargerTile = 768;  // bytes

// Strips of words of kStripWord bytes, and elements that they may have. Tiles are small, as of kept
// runs that are moved in bulk: they have up to kTileStrips.
inline constexpr int64_t kStripWord = 16, kWidestOfStrip = 2, kTileStrips = 128;
inline constexpr Work kStrips = {1, 4};

// Bytes of a square's rows, at most.
constexpr int64_t widest_square(int64_t bytes) { return bytes == 1 ? 8 : 16; }

// Kept runs of elements of kBulkBytes that are moved in bulk: a block is a warp, and its tile
// small, so that loads and stores of many blocks are under way.
inline constexpr int64_t kBulkBytes = 16, kBulkTileBytes = 4096;
// Shorter runs would be copies of their own, of which there are too many then.
inline constexpr int64_t kLeastBulkRun = 64;
inline constexpr int kBulkThreads = 32, kBulkBlocks = 32;
inline constexpr int64_t kBarrierBytes = 8;  // beside the tile
// Squares that are loaded so.
inline constexpr int64_t kBulkSquaresBytes = 32 << 10;  // of a tile
inline constexpr int kBulkSquareThreads = 128, kBulkSquareBlocks = 6;

// Kept runs whose words are shifted: a word a thread at once, and few registers, so that as many
// threads as possible wait for memory.
inline constexpr int64_t kKeptWord = 16, kKeptTileBytes = 8 << 10, kPieceBeginBytes = 16;
inline constexpr int kKeptThreads = 128, kKeptBlocks = 16;

// Elements of kKeptWord that pass no shared memory.
constexpr Work direct_of(bool far) { return far ? Work{4, 3} : Work{2, 8}; }

}  // namespace cuda_permute
