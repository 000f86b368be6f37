// A block takes a tile and the one across the diagonal, transposes each through shared memory and
// writes them crosswise. Nobody else reads what it writes, so that no workspace is needed. Both
// tiles are read before either is written. All global accesses are of 16 bytes, along rows. Rows of
// shared memory are swizzled by units of 16 bytes, as in CUTLASS: storing a row and loading a
// column are both free of bank conflicts. Rows of a tile are 256 bytes long, and a warp writes 256
// bytes of one row rather than 128 of each of two, because memory serves longer runs faster.
#pragma once

#include <cstdint>
#include <xpose/cuda.hpp>

#include "../kit/cuda/tile_pair.cuh"

namespace xpose::kernels {

// Transposes the 4x4 bytes of four words.
__device__ __forceinline__ void transpose_bytes(uint32_t (&w)[4]) {
  const uint32_t a = __byte_perm(w[0], w[1], 0x5140), b = __byte_perm(w[2], w[3], 0x5140);
  const uint32_t c = __byte_perm(w[0], w[1], 0x7362), d = __byte_perm(w[2], w[3], 0x7362);
  w[0] = __byte_perm(a, b, 0x5410);
  w[1] = __byte_perm(a, b, 0x7632);
  w[2] = __byte_perm(c, d, 0x5410);
  w[3] = __byte_perm(c, d, 0x7632);
}

// A square tile of elements of Bytes bytes in rows of Units 16-byte units, a multiple of 8, moved
// by a block of Threads threads.
template <int Bytes, int Units, int Threads>
struct VectorTile {
  static constexpr int kPack = 16 / Bytes;     // elements of a unit
  static constexpr int kSide = Units * kPack;  // elements
  static constexpr int kWordBytes = Bytes < 4 ? 4 : Bytes;
  static constexpr int kAcross = kWordBytes / Bytes;      // columns of a word
  static constexpr int kWords = 16 / kWordBytes;          // of a unit
  static constexpr int kLoads = kSide * Units / Threads;  // units of a tile that a thread has
  static constexpr int kColumns = kLoads / kAcross;       // groups of kAcross output rows
  static constexpr int kUnits = kSide * Units;
  // One tile after the other where two would leave a multiprocessor one block.
  static constexpr bool kBothStaged = 2 * 16 * kUnits <= 64 * 1024;
  // Threads in a row that write units in a row: 256 bytes where the tile is as wide.
  static constexpr int kLanes = Units % 16 == 0 ? 16 : 8;
  static constexpr uint64_t kSharedBytes = uint64_t{16} * kUnits * (kBothStaged ? 2 : 1);
  static_assert(kLoads * Threads == kSide * Units && kColumns * kAcross == kLoads);
  using Word = typename plugin::Element<kWordBytes>;

  // Rows of one unit's column of output, which are kPack apart in their rows, go to the eight
  // 16-byte columns of the banks. Of 16 such rows the upper eight have the halves of their units
  // exchanged, so that words of two halves are read at once.
  static __device__ __forceinline__ int swizzled(int row, int unit) {
    return row * Units + (unit ^ (row / kPack % 8));
  }
  static __device__ __forceinline__ bool halves_exchanged(int row) {
    return kLanes == 16 && kWords > 1 && row / kPack / 8 % 2 != 0;
  }

  // The tile's units, Threads at a time along its rows; those beyond the matrix are left alone.
  static __device__ __forceinline__ void load(const uint4* tile, int64_t pitch, int rows, int units,
                                              uint4 (&held)[kLoads]) {
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      const int at = threadIdx.x + i * Threads, row = at / Units, unit = at % Units;
      if (row < rows && unit < units) held[i] = tile[row * pitch + unit];
    }
  }

  static __device__ __forceinline__ void stage(uint4* shared, const uint4 (&held)[kLoads]) {
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      const int at = threadIdx.x + i * Threads;
      const uint4 unit = held[i];
      shared[swizzled(at / Units, at % Units)] =
          halves_exchanged(at / Units) ? make_uint4(unit.z, unit.w, unit.x, unit.y) : unit;
    }
  }

  // The staged tile's columns as rows; kLanes threads in a row have units of one output row.
  static __device__ __forceinline__ void store(const uint4* shared, uint4* tile, int64_t pitch,
                                               int rows, int units) {
    const Word* const words = reinterpret_cast<const Word*>(shared);
#pragma unroll
    for (int i = 0; i < kColumns; ++i) {
      const int at = threadIdx.x + i * Threads;
      const int unit = at / kLanes / (Units * kWords) * kLanes + at % kLanes;  // of the output row
      const int word = at / kLanes % (Units * kWords);                         // of the input row
      const int half = halves_exchanged(unit * kPack) ? kWords / 2 : 0;
      Word column[kPack];  // (kPack rows, kAcross columns)
#pragma unroll
      for (int r = 0; r < kPack; ++r)
        column[r] =
            words[swizzled(unit * kPack + r, word / kWords) * kWords + (word % kWords ^ half)];
      uint4 out[kAcross];
      unpack(column, out);
#pragma unroll
      for (int c = 0; c < kAcross; ++c) {
        const int row = word * kAcross + c;
        if (row < rows && unit < units) tile[row * pitch + unit] = out[c];
      }
    }
  }

 private:
  // kPack rows of kAcross elements as kAcross rows of kPack.
  static __device__ __forceinline__ void unpack(const Word (&column)[kPack],
                                                uint4 (&out)[kAcross]) {
    if constexpr (Bytes == 1) {
      uint32_t w[4][4];
#pragma unroll
      for (int q = 0; q < 4; ++q) {
#pragma unroll
        for (int r = 0; r < 4; ++r) w[q][r] = column[4 * q + r].words[0];
        transpose_bytes(w[q]);
      }
#pragma unroll
      for (int c = 0; c < 4; ++c) out[c] = make_uint4(w[0][c], w[1][c], w[2][c], w[3][c]);
    } else if constexpr (Bytes == 2) {
      uint32_t low[4], high[4];
#pragma unroll
      for (int q = 0; q < 4; ++q) {
        const uint32_t a = column[2 * q].words[0], b = column[2 * q + 1].words[0];
        low[q] = __byte_perm(a, b, 0x5410);
        high[q] = __byte_perm(a, b, 0x7632);
      }
      out[0] = make_uint4(low[0], low[1], low[2], low[3]);
      out[1] = make_uint4(high[0], high[1], high[2], high[3]);
    } else if constexpr (Bytes == 4) {
      out[0] = make_uint4(column[0].words[0], column[1].words[0], column[2].words[0],
                          column[3].words[0]);
    } else {
      const auto low = [](uint64_t w) { return static_cast<uint32_t>(w); };
      const auto high = [](uint64_t w) { return static_cast<uint32_t>(w >> 32); };
      const uint64_t a = column[0].words[0];
      const uint64_t b =
          Bytes == 8 ? column[kPack - 1].words[0] : column[0].words[kWordBytes / 8 - 1];
      out[0] = make_uint4(low(a), high(a), low(b), high(b));
    }
  }
};

// data is the first matrix; side is in elements and a multiple of 16 / Bytes, pitch and stride
// (from one row, one matrix to the next) in units of 16 bytes. Dynamic shared memory: kSharedBytes.
template <int Bytes, int Units, int Threads>
__global__ void __launch_bounds__(Threads)
    swap_vectors(uint4* data, int side, int64_t pitch, int64_t stride) {
  using Tile = VectorTile<Bytes, Units, Threads>;
  uint4* const shared = plugin::shared_memory<uint4>();  // (kSide, Units)
  const TilePair pair = tile_pair(blockIdx.x);
  data += blockIdx.z * stride;
  uint4* const upper = data + int64_t{pair.row} * Tile::kSide * pitch + int64_t{pair.col} * Units;
  uint4* const lower = data + int64_t{pair.col} * Tile::kSide * pitch + int64_t{pair.row} * Units;
  // Left in the matrix from the tile's first row or column on.
  const int rows = side - pair.row * Tile::kSide, cols = side - pair.col * Tile::kSide;

  uint4 held[Tile::kLoads], across[Tile::kLoads];
  Tile::load(upper, pitch, rows, cols / Tile::kPack, held);
  if (pair.row != pair.col) Tile::load(lower, pitch, cols, rows / Tile::kPack, across);
  const bool diagonal = pair.row == pair.col;
  Tile::stage(shared, held);
  if (Tile::kBothStaged && !diagonal) Tile::stage(shared + Tile::kUnits, across);
  __syncthreads();
  Tile::store(shared, lower, pitch, cols, rows / Tile::kPack);
  if (diagonal) return;
  if constexpr (!Tile::kBothStaged) {
    __syncthreads();
    Tile::stage(shared, across);
    __syncthreads();
  }
  Tile::store(shared + (Tile::kBothStaged ? Tile::kUnits : 0), upper, pitch, rows,
              cols / Tile::kPack);
}

}  // namespace xpose::kernels
