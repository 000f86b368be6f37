// A transpose of elements of 1 and 2 bytes whose rows begin anywhere, for small matrices: a block
// has little to do before its loads are on their way, and all of its warps write. Rows lie in
// shared memory as they lie in the input. A lane has a group of neighbouring rows and walks along
// the columns: it shifts the words of its rows into place, transposes them in registers, completes
// them by the next lane's for the misalignment of the output row, and a warp writes 124 bytes of it
// in whole words. Lanes that own rows instead of columns are this project's; the shifts are those
// of Eichenberger, Wu, O'Brien, "Vectorization for SIMD architectures with alignment constraints",
// 2004.
#pragma once

#include <cstdint>

#include "../kit/cuda/packed_words.cuh"
#include "load_rows.cuh"

namespace xpose::kernels {

// The columns of a warp, and where its lane reads and writes them.
template <int Bytes>
struct WarpColumns {
  static constexpr int kPack = kWordBytes / Bytes;

  const unsigned char* from[kPack];  // in shared memory, at multiples of 4
  unsigned char* to[kPack];          // of the output, at multiples of 4
  unsigned in_shift[kPack];          // bits that the first column lies past `from`
  unsigned out_shift[kPack];         // bits of a lane's rows that go to the word of the lane before
  int64_t step;                      // bytes from `to` to that of the next kPack columns
  int row;                           // the input row that is first in the next lane's words
  int count;                         // columns

  // `begun`: where the tile's first staged element lies, so many bytes past `shared`. first: the
  // first row that the block owns.
  __device__ __forceinline__ WarpColumns(const LanesTile& tile, const LanesMatrix& matrix,
                                         unsigned char* out, const unsigned char* shared, int begun,
                                         int first, int first_col, int width) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int band = warp & ((1 << tile.bands_log2) - 1);
    const int group = kOwnedLanes * band + lane;
    const int col = (warp >> tile.bands_log2) * tile.warp_cols;
    count = min(tile.warp_cols, width - col);
    step = kPack * matrix.out_pitch;
    row = first + group * kPack;
    unsigned char* at = out + (first_col + col) * matrix.out_pitch + int64_t{row} * Bytes;
#pragma unroll
    for (int i = 0; i < kPack; ++i, at += matrix.out_pitch) {
      const int place = begun + i * tile.row_pitch;
      in_shift[i] = 8 * (place % kWordBytes);
      from[i] = shared + group * tile.group_pitch + place - place % kWordBytes + col * Bytes;
      const int misaligned = past<kWordBytes>(at);
      out_shift[i] = 8 * (kWordBytes - misaligned);
      to[i] = at - misaligned;
    }
  }

  // Inside: every row of the tile is in the matrix.
  template <bool Inside>
  __device__ __forceinline__ void write(int rows) {
    if (count <= 0) return;  // the warp has no column
    uint32_t low[kPack];
#pragma unroll
    for (int i = 0; i < kPack; ++i)
      if (Inside || has_row(i, rows)) low[i] = *reinterpret_cast<const uint32_t*>(from[i]);
    const int turns = (count - 1) / kPack;  // before the last
#pragma unroll(Inside ? 4 : 1)
    for (int i = 0; i < turns; ++i) write_columns<Inside, true>(low, rows);
    count -= turns * kPack;
    write_columns<Inside, false>(low, rows);
  }

 private:
  __device__ __forceinline__ bool has_row(int i, int rows) const {
    return row - kPack + i >= 0 && row - kPack + i < rows;
  }

  // Writes kPack columns, or the last. `low` are the words at `from`, where the rows are. More:
  // others follow.
  template <bool Inside, bool More>
  __device__ __forceinline__ void write_columns(uint32_t (&low)[kPack], int rows) {
    uint32_t word[kPack];
#pragma unroll
    for (int i = 0; i < kPack; ++i) {
      from[i] += kWordBytes;
      uint32_t high = 0;
      if ((More || static_cast<int>(in_shift[i]) / 8 + count * Bytes > kWordBytes) &&
          (Inside || has_row(i, rows)))
        high = *reinterpret_cast<const uint32_t*>(from[i]);
      word[i] = __funnelshift_r(low[i], high, in_shift[i]);
      low[i] = high;
    }
    transpose_words<Bytes>(word);
#pragma unroll
    for (int i = 0; i < kPack; ++i) {
      const uint32_t next = __shfl_sync(0xffffffffu, word[i], (threadIdx.x + 1) % 32);
      word[i] = __funnelshift_rc(word[i], next, out_shift[i]);
    }
#pragma unroll
    for (int i = 0; i < kPack; ++i) {
      if (threadIdx.x % 32 < kOwnedLanes && (More || i < count))
        store<Inside>(to[i], word[i], rows,
                      row - (kWordBytes - static_cast<int>(out_shift[i]) / 8) / Bytes);
      to[i] += step;
    }
  }

  // Stores a word whose elements are from the row `first` on.
  template <bool Inside>
  static __device__ __forceinline__ void store(unsigned char* to, uint32_t word, int rows,
                                               int first) {
    if (Inside || (first >= 0 && first + kPack <= rows)) {
      store_words<1>(to, &word);
    } else {
#pragma unroll
      for (int i = 0; i < kPack; ++i)
        if (first + i >= 0 && first + i < rows) store_element<Bytes>(to + i * Bytes, word, i);
    }
  }
};

// One block of threads a tile: x over rows, and kPack - 1 behind the last; y over tile.width
// columns; z over the batch. Load: bytes of a load of a row; 0: the rows are one run.
template <int Bytes, int Load>
__global__ __launch_bounds__(512, 2) void lanes(const unsigned char* __restrict__ in,
                                                unsigned char* __restrict__ out, LanesMatrix matrix,
                                                LanesTile tile) {
  constexpr int kPack = kWordBytes / Bytes;
  auto* const shared = plugin::shared_memory<unsigned char>();
  in += blockIdx.z * matrix.in_stride;
  out += blockIdx.z * matrix.out_stride;
  const int owned = kOwnedLanes * kPack << tile.bands_log2, count = owned + kPack;  // rows
  const int first = blockIdx.x * owned, above = first - kPack;
  const int col = blockIdx.y * tile.width;
  StagedRows staged;
  staged.matrix = in;
  staged.matrix_end = in + (matrix.rows - 1) * matrix.in_pitch + int64_t{matrix.cols} * Bytes;
  staged.first = in + above * matrix.in_pitch + int64_t{col} * Bytes;
  staged.begin = max(-above, 0);
  staged.end = min(count, matrix.rows - above);
  staged.col = col;
  staged.width = min(tile.width, matrix.cols - col);
  const int begun = past < Load == 0 ? 16 : Load > (staged.first);
  if constexpr (Load == 0)
    load_run<Bytes>(staged, matrix.in_pitch, shared + begun);
  else
    load_rows<Bytes, Load>(staged, matrix.in_pitch, matrix.cols, tile, shared + begun);
  WarpColumns<Bytes> columns(tile, matrix, out, shared, begun, first, col, staged.width);
  copies_arrive();
  __syncthreads();
  if (above >= 0 && above + count <= matrix.rows)
    columns.template write<true>(matrix.rows);
  else
    columns.template write<false>(matrix.rows);
}

}  // namespace xpose::kernels
