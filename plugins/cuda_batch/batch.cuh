#pragma once

#include "../stream_tile.cuh"

namespace xpose::kernels {

// `count` dense matrices of rows x cols; a block has `chunk` of them.
struct BatchShape {
  int64_t count;
  int rows, cols, chunk, gap;
  Divisor by_rows, by_cols;
};

// Where an element of the output stream comes from, and the next ones.
template <class E>
struct BatchWalk {
  const StreamTile<E>& tile;
  const BatchShape& shape;
  int col, row, offset;  // offset: bytes, in the input stream

  __device__ __forceinline__ BatchWalk(const StreamTile<E>& of, const BatchShape& shape_of, int element) : tile(of), shape(shape_of) {
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

template <class E>
__global__ void batch(const E* __restrict__ in, E* __restrict__ out, BatchShape shape) {
  constexpr int V = kVector<E>;
  constexpr int kBytes = static_cast<int>(sizeof(E));
  const int64_t first = int64_t{blockIdx.x} * shape.chunk;
  const int area = shape.rows * shape.cols;
  const int elements = static_cast<int>(min(shape.count - first, int64_t{shape.chunk})) * area;
  in += first * area;
  out += first * area;
  const StreamTile<E> tile(shape.cols, shape.gap, past_vector(in), shape.by_cols);
  tile.template load_stream<4>(in, elements);
  __syncthreads();
  const VectorSpan span(past_vector(out), elements * kBytes);
  Vector* const vectors = reinterpret_cast<Vector*>(reinterpret_cast<unsigned char*>(out) - span.skew);
  const int thread = threadIdx.x;
  if (shape.rows % V == 0 && span.skew == 0) {
    for (int q = thread; q < span.last; q += blockDim.x) {
      const int out_row = q * V / shape.by_rows;  // of all matrices
      const int matrix = out_row / shape.by_cols;
      const int row = matrix * shape.rows + q * V - out_row * shape.rows;  // of all matrices
      vectors[q] = tile.get_column(row / V, out_row - matrix * shape.cols);
    }
  } else {
    for (int q = span.first + thread; q < span.last; q += blockDim.x) {
      BatchWalk<E> walk(tile, shape, q * V - span.skew / kBytes);
      vectors[q] = pack<E>([&](int) { return walk.next(); });
    }
  }
  if (thread * kBytes < span.head) out[thread] = BatchWalk<E>(tile, shape, thread).next();
  if (thread * kBytes < span.tail) out[elements - 1 - thread] = BatchWalk<E>(tile, shape, elements - 1 - thread).next();
}

}  // namespace xpose::kernels
