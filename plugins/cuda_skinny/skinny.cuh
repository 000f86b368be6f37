// A matrix with one short side, dense along it, is a stream of interleaved elements on one side and
// a run for each of them on the other. A block moves a piece of the stream and of every run in
// 16-byte vectors at multiples of 16, through a tile in shared memory that holds the stream as it
// is. Segmented loads and stores through shared memory are as in Trove (Catanzaro, Keller, Garland,
// "A Decomposition for In-place Matrix Transposition", 2014), which keeps them in registers and
// needs the width at compile time.
#pragma once

#include "../kit/cuda/stream_tile.cuh"

namespace xpose::kernels {

// So many neighbouring threads have vectors of one run, and the next ones those of the next run.
inline constexpr int kAlong = 8;

// One matrix of the problem: `rows` x `width`, dense, on one side, and `width` runs of `rows`
// elements, ld apart, on the other. A block has `run` vectors of each run, a multiple of kAlong;
// blockIdx.y is the matrix.
struct SkinnyShape {
  int64_t rows, ld, stream_stride, run_stride;
  int width, run, gap;
  bool aligned;  // every run begins at a multiple of 16
  Divisor by_width;
};

// The rows that a block has, and the threads' parts of the runs.
template <class E>
struct RunPieces {
  static constexpr int V = kVector<E>;
  static constexpr int kBytes = static_cast<int>(sizeof(E));

  const SkinnyShape& shape;
  int64_t first;  // row
  int count;      // rows
  bool whole;     // every run has `run` vectors at multiples of 16

  __device__ __forceinline__ explicit RunPieces(const SkinnyShape& of) : shape(of) {
    const int chunk = V * shape.run;
    first = int64_t{blockIdx.x} * chunk;
    count = static_cast<int>(min(shape.rows - first, int64_t{chunk}));
    whole = shape.aligned && count == chunk;
  }

  // The rows before the first multiple of 16.
  __device__ __forceinline__ int head(const E* run) const {
    return min((V - past_vector(run) / kBytes) % V, count);
  }

  // Vector t of the block: the run, the row, whether it lies in the block.
  struct Piece {
    int col, row;
    bool inside;
  };
  __device__ __forceinline__ Piece vector(int t, const E* runs) const {
    const int eight = t / kAlong;
    const int high = eight / shape.by_width;
    const int col = eight - high * shape.width;
    int row = (high * kAlong + t % kAlong) * V;
    if (!whole) row += head(runs + col * shape.ld);
    return {col, row, t < shape.width * shape.run && (whole || row + V <= count)};
  }
  // Element t of those outside of all vectors: less than V before, less than V behind.
  __device__ __forceinline__ Piece element(int t, const E* runs) const {
    if (t >= elements()) return {0, 0, false};
    const int col = t / (2 * V), i = t % (2 * V);
    const int before = head(runs + col * shape.ld);
    const int row = i < V ? i : before + (count - before) / V * V + i - V;
    return {col, row, i < V ? row < before : row < count};
  }
  __device__ __forceinline__ int elements() const { return whole ? 0 : shape.width * 2 * V; }
};

// in: the stream, out: the runs.
template <class E, bool Gaps>
__global__ void deinterleave(const E* __restrict__ in, E* __restrict__ out, SkinnyShape shape) {
  constexpr int kBytes = static_cast<int>(sizeof(E));
  const RunPieces<E> pieces(shape);
  in += blockIdx.y * shape.stream_stride + pieces.first * shape.width;
  out += blockIdx.y * shape.run_stride + pieces.first;
  const StreamTile<E, Gaps> tile(shape.width, past_vector(in), shape.gap, shape.by_width);
  tile.load_stream(in, pieces.count * shape.width);
  __syncthreads();
  const int thread = threadIdx.x, threads = blockDim.x;
  for (int first = thread; first < shape.width * shape.run; first += kItems * threads) {
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      const auto piece = pieces.vector(first + i * threads, out);
      if (piece.inside)
        *reinterpret_cast<Vector*>(out + piece.col * shape.ld + piece.row) =
            tile.get_column(piece.row * tile.row_bytes + piece.col * kBytes);
    }
  }
  for (int t = thread; t < pieces.elements(); t += threads) {
    const auto piece = pieces.element(t, out);
    if (piece.inside)
      out[piece.col * shape.ld + piece.row] =
          tile.at(piece.row * tile.row_bytes + piece.col * kBytes);
  }
}

// in: the runs, out: the stream.
template <class E, bool Gaps>
__global__ void interleave(const E* __restrict__ in, E* __restrict__ out, SkinnyShape shape) {
  constexpr int kBytes = static_cast<int>(sizeof(E));
  const RunPieces<E> pieces(shape);
  in += blockIdx.y * shape.run_stride + pieces.first;
  out += blockIdx.y * shape.stream_stride + pieces.first * shape.width;
  const StreamTile<E, Gaps> tile(shape.width, past_vector(out), shape.gap, shape.by_width);
  const int thread = threadIdx.x, threads = blockDim.x;
  const auto edge = pieces.element(thread, in);
  E edge_value;  // in flight while the vectors are
  if (edge.inside) edge_value = in[edge.col * shape.ld + edge.row];
  for (int first = thread; first < shape.width * shape.run; first += kItems * threads) {
    Vector value[kItems];
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      const auto piece = pieces.vector(first + i * threads, in);
      if (piece.inside)
        value[i] = *reinterpret_cast<const Vector*>(in + piece.col * shape.ld + piece.row);
    }
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      const auto piece = pieces.vector(first + i * threads, in);
      if (piece.inside) tile.put_column(piece.row * tile.row_bytes + piece.col * kBytes, value[i]);
    }
  }
  if (edge.inside) tile.at(edge.row * tile.row_bytes + edge.col * kBytes) = edge_value;
  for (int t = thread + threads; t < pieces.elements(); t += threads) {
    const auto piece = pieces.element(t, in);
    if (piece.inside)
      tile.at(piece.row * tile.row_bytes + piece.col * kBytes) =
          in[piece.col * shape.ld + piece.row];
  }
  __syncthreads();
  tile.store_stream(out, pieces.count * shape.width);
}

}  // namespace xpose::kernels
