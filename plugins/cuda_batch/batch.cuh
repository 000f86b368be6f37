// Small dense matrices one behind the other are a stream on both sides, in which every matrix keeps
// its bytes. A block reads whole matrices into shared memory in 16-byte vectors, gathers 16-byte
// vectors of the transposed stream from there and writes them.
#pragma once

#include "../kit/cuda/stream_tile.cuh"

namespace xpose::kernels {

// `count` dense matrices of rows x cols; a block has `chunk` of them.
struct BatchShape {
  int64_t count;
  int rows, cols, chunk, gap;
  Divisor by_rows, by_cols;
};

// Where an element of the output stream comes from, and the next ones.
template <class E, bool Gaps>
struct BatchWalk {
  const StreamTile<E, Gaps>& tile;
  const BatchShape& shape;
  int col, row, offset;  // offset: bytes, in the input stream

  __device__ __forceinline__ BatchWalk(const StreamTile<E, Gaps>& of, const BatchShape& shape_of,
                                       int element)
      : tile(of), shape(shape_of) {
    const int out_row = element / shape.by_rows;  // of all matrices
    const int matrix = out_row / shape.by_cols;
    col = out_row - matrix * shape.cols;
    row = element - out_row * shape.rows;
    offset = (matrix * shape.rows + row) * tile.row_bytes + col * static_cast<int>(sizeof(E));
  }
  __device__ __forceinline__ E next() {
    const E element = tile.at(offset);
    if (++row < shape.rows) {
      offset += tile.row_bytes;
    } else {
      row = 0;
      const bool last = ++col == shape.cols;
      if (last) col = 0;
      offset += static_cast<int>(sizeof(E)) - (last ? 0 : (shape.rows - 1) * tile.row_bytes);
    }
    return element;
  }
};

template <class E, bool Gaps>
__global__ void batch(const E* __restrict__ in, E* __restrict__ out, BatchShape shape) {
  constexpr int V = kVector<E>;
  constexpr int kBytes = static_cast<int>(sizeof(E));
  const int64_t first = int64_t{blockIdx.x} * shape.chunk;
  const int area = shape.rows * shape.cols;
  const int elements = static_cast<int>(min(shape.count - first, int64_t{shape.chunk})) * area;
  in += first * area;
  out += first * area;
  const StreamTile<E, Gaps> tile(shape.cols, past_vector(in), shape.gap, shape.by_cols);
  tile.load_stream(in, elements);
  __syncthreads();
  const VectorSpan span(past_vector(out), elements * kBytes);
  Vector* const vectors =
      reinterpret_cast<Vector*>(reinterpret_cast<unsigned char*>(out) - span.skew);
  const int thread = threadIdx.x;
  const bool along_columns = shape.rows % V == 0 && span.skew == 0;  // no vector has two columns
  for (int q0 = span.first + thread; q0 < span.last; q0 += kItems * blockDim.x) {
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      const int q = q0 + i * blockDim.x;
      if (q >= span.last) break;
      BatchWalk<E, Gaps> walk(tile, shape, q * V - span.skew / kBytes);
      if (along_columns)
        vectors[q] = tile.get_column(walk.offset);
      else
        vectors[q] = pack<E>([&](int) { return walk.next(); });
    }
  }
  if (thread * kBytes < span.head) out[thread] = BatchWalk<E, Gaps>(tile, shape, thread).next();
  if (thread * kBytes < span.tail)
    out[elements - 1 - thread] = BatchWalk<E, Gaps>(tile, shape, elements - 1 - thread).next();
}

}  // namespace xpose::kernels
