// Elements of 32 to 256 bytes, as words of 16: a block takes a square tile of elements, and each of
// its threads four words at the same place of four rows, then of four columns. A tile passes
// through shared memory, so that its stores are runs of an output row of 512 to 2048 bytes. Its
// rows are one element longer than the tile, modulo 128 bytes: then neighbouring words of an output
// row, of whatever elements, lie in neighbouring banks. The padding is that of Ruetsch and
// Micikevicius ("Optimizing Matrix Transpose in CUDA"), for an element of any size. By the
// simulator every sector is asked for once and whole, and no access takes a wavefront too many
// (budgets_test).
#pragma once

#include <cstdint>
#include <xpose/cuda.hpp>

#include "../kit/cuda/tile_pair.cuh"

namespace xpose::kernels {

inline constexpr int kItems = 4;  // words that a thread has in flight
inline constexpr int kMostThreads = 256;

// One matrix; pitches and strides in words.
struct FatShape {
  int64_t rows, cols;  // elements
  int64_t in_pitch, out_pitch, in_stride, out_stride;
  int words;            // of an element
  uint32_t tiles_down;  // of the matrix; blockIdx.x counts tiles down the rows first
};

// Consecutive blocks go down the input's rows, so that they write along output rows; blockIdx.y is
// the matrix. A tile is of tile_rows x tile_cols elements.
template <class Word>
struct FatPlace {
  const Word* in;
  Word* out;
  int rows, cols;  // that are left from the tile's first on, at most the tile's

  __device__ __forceinline__ FatPlace(const Word* input, Word* output, const FatShape& shape,
                                      int tile_rows, int tile_cols) {
    const uint32_t across = blockIdx.x / shape.tiles_down;
    const int64_t row = int64_t{blockIdx.x - across * shape.tiles_down} * tile_rows;
    const int64_t col = int64_t{across} * tile_cols;
    rows = static_cast<int>(min(shape.rows - row, int64_t{tile_rows}));
    cols = static_cast<int>(min(shape.cols - col, int64_t{tile_cols}));
    in = input + blockIdx.y * shape.in_stride + row * shape.in_pitch + col * shape.words;
    out = output + blockIdx.y * shape.out_stride + col * shape.out_pitch + row * shape.words;
  }
};

// A tile of side x side elements in shared memory, side rows of `pitch` words. A block has a thread
// for every word of side / kItems rows.
struct FatTile {
  uint4* tile;  // (side, pitch)
  int pitch, words, step;
  int along, first;  // the thread's word of a row and of a column, and its first row and column
  int row, word;     // the same word of a column: the tile's row, and the element's word

  __device__ __forceinline__ FatTile(uint4* shared, int side, int row_pitch, int element_words)
      : tile(shared), pitch(row_pitch), words(element_words), step(side / kItems) {
    const int run = side * words;
    along = threadIdx.x % run;
    first = threadIdx.x / run;
    row = along / words;
    word = along - row * words;
  }

  // From rows x cols elements of a matrix.
  __device__ __forceinline__ void load(const uint4* from, int64_t from_pitch, int rows,
                                       int cols) const {
    uint4 value[kItems];
#pragma unroll
    for (int i = 0; i < kItems; ++i)
      if (first + i * step < rows && along < cols * words)
        value[i] = from[(first + i * step) * from_pitch + along];
#pragma unroll
    for (int i = 0; i < kItems; ++i)
      if (first + i * step < rows && along < cols * words)
        tile[(first + i * step) * pitch + along] = value[i];
  }

  // Its columns to rows of a matrix.
  __device__ __forceinline__ void store(uint4* to, int64_t to_pitch, int rows, int cols) const {
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      const int col = first + i * step;
      if (row < rows && col < cols)
        to[col * to_pitch + along] = tile[row * pitch + col * words + word];
    }
  }
};

// Dynamic shared memory: a tile.
__global__ void __launch_bounds__(kMostThreads)
    fat_tile(const uint4* __restrict__ in, uint4* __restrict__ out, FatShape shape, int side,
             int pitch) {
  const FatPlace<uint4> place(in, out, shape, side, side);
  const FatTile tile(plugin::shared_memory<uint4>(), side, pitch, shape.words);
  tile.load(place.in, shape.in_pitch, place.rows, place.cols);
  __syncthreads();
  tile.store(place.out, shape.out_pitch, place.rows, place.cols);
}

// In place: a block takes a tile and the one across the diagonal, as in cuda_in_place, and writes
// each where the other was. blockIdx.x counts pairs. Dynamic shared memory: two tiles.
__global__ void __launch_bounds__(kMostThreads)
    fat_swap(uint4* data, FatShape shape, int side, int pitch) {
  const TilePair pair = tile_pair(blockIdx.x);
  const int64_t row = int64_t{pair.row} * side, col = int64_t{pair.col} * side;
  data += blockIdx.y * shape.in_stride;
  uint4* const upper = data + row * shape.in_pitch + col * shape.words;
  uint4* const lower = data + col * shape.in_pitch + row * shape.words;
  const int rows = static_cast<int>(min(shape.rows - row, int64_t{side}));
  const int cols = static_cast<int>(min(shape.rows - col, int64_t{side}));
  uint4* const shared = plugin::shared_memory<uint4>();
  const FatTile of_upper(shared, side, pitch, shape.words);
  const FatTile of_lower(shared + side * pitch, side, pitch, shape.words);
  of_upper.load(upper, shape.in_pitch, rows, cols);
  if (row != col) of_lower.load(lower, shape.in_pitch, cols, rows);
  __syncthreads();
  of_upper.store(lower, shape.in_pitch, rows, cols);
  if (row != col) of_lower.store(upper, shape.in_pitch, cols, rows);
}

// Without shared memory: an element is as long as a memory access should be, a side is shorter than
// a tile, or addresses are not fit for words of 16 bytes. A tile has `groups` columns for each of
// kItems; neighbouring threads write neighbouring words of an output row, then of the next.
template <class Word>
__global__ void __launch_bounds__(kMostThreads)
    fat_direct(const Word* __restrict__ in, Word* __restrict__ out, FatShape shape, int tile_rows,
               int groups) {
  const FatPlace<Word> place(in, out, shape, tile_rows, groups * kItems);
  const int run = tile_rows * shape.words;
  for (int at = threadIdx.x; at < run * groups; at += blockDim.x) {
    const int col = at / run, along = at - col * run;
    const int row = along / shape.words, word = along - row * shape.words;
    if (row >= place.rows) continue;
    const Word* const source = place.in + row * shape.in_pitch + word;
    Word value[kItems];
#pragma unroll
    for (int i = 0; i < kItems; ++i)
      if (col + i * groups < place.cols) value[i] = source[(col + i * groups) * shape.words];
#pragma unroll
    for (int i = 0; i < kItems; ++i)
      if (col + i * groups < place.cols)
        place.out[(col + i * groups) * shape.out_pitch + along] = value[i];
  }
}

}  // namespace xpose::kernels
