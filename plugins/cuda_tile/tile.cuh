// A tile goes through shared memory in wide pieces whatever the element size: a thread loads a few
// rows of 16 bytes each, transposes them in registers, and stores pieces of columns into padded
// rows, which leave as 16 bytes of an output row. The tile is the one of Ruetsch and Micikevicius
// ("Optimizing Matrix Transpose in CUDA"). Half a warp reads 256 bytes of a row at once, because
// memory is read in blocks of 256 bytes. Consecutive blocks follow output rows, because pieces of
// one output row that are written at one time are faster than pieces of many.
#pragma once

#include <cstdint>
#include <xpose/cuda.hpp>

#include "../kit/cuda/between_rows.cuh"
#include "patch.cuh"
#include "row_end.cuh"

namespace xpose::kernels {

// Shape of a tile of ElementBytes elements: RowBytes of each input row, ColBytes of each output
// row, written by Writers threads, loaded in patches of PatchRows rows by 16 bytes. Own: a block
// writes the aligned pieces of Own bytes that begin in its part of an output row, so that no sector
// of 32 bytes is written by two blocks where rows are aligned to 16 alone; 16 bytes of rows above
// the tile are staged for that, by one warp more.
template <int ElementBytes, int RowBytes, int ColBytes, int Own, int Writers, int PatchRows>
struct TileShape {
  static constexpr int kElement = ElementBytes;
  static constexpr int kOwn = Own;
  static constexpr int kHaloBytes = Own - 16;
  static constexpr int kHalo = kHaloBytes / ElementBytes;  // rows
  static constexpr int kThreads = Writers + (Own > 16 ? 32 : 0);
  static constexpr int kWarps = kThreads / 32;
  static constexpr int kWriters = Writers;
  static constexpr int kPatchRows = PatchRows;
  static constexpr int kVector = 16 / ElementBytes;      // elements of 16 bytes
  static constexpr int kRows = ColBytes / ElementBytes;  // of the input, owned
  static constexpr int kCols = RowBytes / ElementBytes;  // of the input
  static constexpr int kColVectors = ColBytes / 16;      // of an output row, owned
  static constexpr int kStaged = kColVectors + kHaloBytes / 16;
  static constexpr int kAcross = RowBytes % 256 == 0 ? 16 : 8;  // lanes along a row
  static constexpr int kChunkRows = 32 / kAcross * PatchRows;   // a warp's, at once
  static constexpr int kChunksAcross = RowBytes / 16 / kAcross;
  static constexpr int kChunks = (kRows + kHalo) / kChunkRows * kChunksAcross;
  static constexpr int kPatches = (kChunks + kWarps - 1) / kWarps;  // of a thread
  static constexpr int kStep = Writers / kColVectors;               // columns written at once

  // In shared memory, in units of 16 bytes: a column's are side by side, and every kVector columns
  // one is left out, so that the lanes that store to columns kVector apart meet all banks.
  static constexpr int kPitch = kStaged + (kVector == 1 ? kStaged % 2 : 0);
  static constexpr int kBytes = (kCols * kPitch + kCols / kVector) * 16;
  static constexpr __device__ int unit(int col) { return col * kPitch + col / kVector; }

  // Where 16 lanes store pieces of at most 8 bytes side by side, the upper eight exchange the
  // halves of their units, so that words of both halves are stored at once.
  static constexpr bool kExchanges = kAcross == 16 && PatchRows * ElementBytes <= 8;
  static constexpr int kExchangeCols = 8 * kVector;
  static constexpr __device__ bool halves_exchanged(int col) {
    return kExchanges && col / kExchangeCols % 2 != 0;
  }

  static_assert(Own == 16 || Own == 32);
  static_assert((kRows + kHalo) % kChunkRows == 0 && RowBytes % (16 * kAcross) == 0);
  static_assert(Writers % kColVectors == 0 && kCols % kStep == 0);
  static_assert(kStep % kVector == 0 || kVector % kStep == 0);
  static_assert(kExchangeCols % kStep == 0 || kStep % kExchangeCols == 0);
};

// in: the first staged row and the tile's first column; first_row, the staged row's number, may be
// negative.
template <class Shape, bool Interior, bool Ahead>
__device__ __forceinline__ void load_tile(const unsigned char* __restrict__ in, int first_row,
                                          int rows, int cols_left, int64_t in_pitch,
                                          unsigned char* tile) {
  constexpr int kPatchRows = Shape::kPatchRows, kAcross = Shape::kAcross;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const auto has_patch = [&](int n) {
    return (n + 1) * Shape::kWarps <= Shape::kChunks || warp + n * Shape::kWarps < Shape::kChunks;
  };
  const auto row_of = [&](int chunk) {
    return chunk / Shape::kChunksAcross * Shape::kChunkRows + lane / kAcross * kPatchRows;
  };
  const auto vector_of = [&](int chunk) {
    return chunk % Shape::kChunksAcross * kAcross + lane % kAcross;
  };

  Patch<Shape::kElement, kPatchRows> patches[Shape::kPatches];
#pragma unroll
  for (int n = 0; n < Shape::kPatches; ++n) {
    if (!has_patch(n)) continue;
    const int chunk = warp + n * Shape::kWarps, row = row_of(chunk), vector = vector_of(chunk);
    const unsigned char* const source = in + row * in_pitch + vector * 16;
#pragma unroll
    for (int i = 0; i < kPatchRows; ++i) {
      const int at = first_row + row + i;
      if (Interior)
        patches[n].row[i] = plugin::load_ahead<Ahead, uint4>(source + i * in_pitch);
      else if (at >= 0 && at < rows)
        patches[n].row[i] = load_row_end<Shape::kElement>(source + i * in_pitch,
                                                          cols_left - vector * Shape::kVector);
    }
  }
#pragma unroll
  for (int n = 0; n < Shape::kPatches; ++n) {
    if (!has_patch(n)) continue;
    const int chunk = warp + n * Shape::kWarps, col = vector_of(chunk) * Shape::kVector;
    int byte = row_of(chunk) * Shape::kElement;
    if (Shape::halves_exchanged(col)) byte ^= 8;
    patches[n].store_cols(tile + Shape::unit(col) * 16 + byte, Shape::kPitch * 16);
  }
}

// out: the first owned row and the tile's first column.
template <class Shape, bool Interior>
__device__ __forceinline__ void write_tile(unsigned char* __restrict__ out, int first_row, int rows,
                                           int cols_left, int64_t out_pitch,
                                           const unsigned char* tile) {
  if (Shape::kThreads > Shape::kWriters && threadIdx.x >= Shape::kWriters) return;
  const int col = threadIdx.x / Shape::kColVectors, vector = threadIdx.x % Shape::kColVectors;
  unsigned char* start = out + col * out_pitch;
#pragma unroll
  for (int n = 0; n < Shape::kCols / Shape::kStep; ++n, start += out_pitch * Shape::kStep) {
    const int ahead = n * Shape::kStep;
    const int past = static_cast<int>(reinterpret_cast<uintptr_t>(start) & (Shape::kOwn - 16));
    uint4 value = *reinterpret_cast<const uint4*>(tile + Shape::unit(col + ahead) * 16 +
                                                  vector * 16 + Shape::kHaloBytes - past);
    // A turn's columns are exchanged alike, or each thread's are in every turn.
    if (Shape::halves_exchanged(Shape::kStep % Shape::kExchangeCols == 0 ? col + ahead : ahead))
      value = make_uint4(value.z, value.w, value.x, value.y);
    unsigned char* const at = start - past + vector * 16;
    if (Interior) {
      *reinterpret_cast<uint4*>(at) = value;
    } else if (col + ahead < cols_left) {
      const int row = first_row + (vector * 16 - past) / Shape::kElement;
      if (row >= 0) store_row_end<Shape::kElement>(at, value, rows - row);
    }
  }
}

// Rows are 16-byte aligned; pitches and strides in bytes. A block of Shape::kThreads: x over kRows
// input rows, also those of kHalo behind the last, so that blocks that run together write along
// output rows; y over kCols columns, z over the batch or, of matrices that go together, x. ahead:
// bring whole 256-byte blocks of the input into L2. Dynamic shared memory: Shape::kBytes.
template <class Shape, int MinBlocks>
__global__ void __launch_bounds__(Shape::kThreads, MinBlocks)
    tile(const unsigned char* __restrict__ in, unsigned char* __restrict__ out, int rows, int cols,
         int64_t in_pitch, int64_t out_pitch, int64_t in_stride, int64_t out_stride,
         uint32_t together, bool ahead) {
  auto* const staged = plugin::shared_memory<unsigned char>();  // (kCols, kStaged units)
  const plugin::BlockOfBatch block(together);
  const int row = block.x * Shape::kRows, col = blockIdx.y * Shape::kCols;
  const int staged_row = row - Shape::kHalo;
  in += block.matrix * in_stride + staged_row * in_pitch + int64_t{col} * Shape::kElement;
  out += block.matrix * out_stride + col * out_pitch + int64_t{row} * Shape::kElement;
  const bool interior = staged_row >= 0 && row + Shape::kRows <= rows && col + Shape::kCols <= cols;
  if (interior && ahead)
    load_tile<Shape, true, true>(in, staged_row, rows, cols - col, in_pitch, staged);
  else if (interior)
    load_tile<Shape, true, false>(in, staged_row, rows, cols - col, in_pitch, staged);
  else
    load_tile<Shape, false, false>(in, staged_row, rows, cols - col, in_pitch, staged);
  __syncthreads();
  if (interior)
    write_tile<Shape, true>(out, row, rows, cols - col, out_pitch, staged);
  else
    write_tile<Shape, false>(out, row, rows, cols - col, out_pitch, staged);
}

}  // namespace xpose::kernels
