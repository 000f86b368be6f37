#pragma once

#include "../stream_tile.cuh"

namespace xpose::kernels {

// One matrix of the problem: `rows` x `width`, dense, on one side, and `width` runs of `rows` elements, ld apart, on
// the other. A block has `run` vectors of each run; blockIdx.y is the matrix.
struct SkinnyShape {
  int64_t rows, ld, stream_stride, run_stride;
  int width, log_run, gap;
  bool aligned;  // each run is at a multiple of 16
  Divisor by_width, by_slots;  // vectors of a run that is not aligned: 2^log_run + 1
};

// What a block has of it.
template <class E>
struct SkinnyBlock {
  static constexpr int V = kVector<E>;
  int64_t first;  // row
  int count;      // rows
  bool simple;    // whole vectors, at multiples of 16

  __device__ __forceinline__ explicit SkinnyBlock(const SkinnyShape& shape) {
    const int chunk = V << shape.log_run;
    first = int64_t{blockIdx.x} * chunk;
    count = static_cast<int>(min(shape.rows - first, int64_t{chunk}));
    simple = shape.aligned && count == chunk;
  }
};

// in: the stream, out: the runs.
template <class E>
__global__ void deinterleave(const E* __restrict__ in, E* __restrict__ out, SkinnyShape shape) {
  constexpr int V = kVector<E>;
  const SkinnyBlock<E> block(shape);
  in += blockIdx.y * shape.stream_stride + block.first * shape.width;
  out += blockIdx.y * shape.run_stride + block.first;
  const StreamTile<E> tile(shape.width, shape.gap, past_vector(in), shape.by_width);
  tile.template load_stream<4>(in, block.count * shape.width);
  __syncthreads();
  if (block.simple) {
    for (int t = threadIdx.x; t < shape.width << shape.log_run; t += blockDim.x) {
      const int col = t >> shape.log_run, group = t & ((1 << shape.log_run) - 1);
      *reinterpret_cast<Vector*>(out + col * shape.ld + group * V) = tile.get_column(group, col);
    }
    return;
  }
  const int slots = (1 << shape.log_run) + 1;
  for (int t = threadIdx.x; t < shape.width * slots; t += blockDim.x) {
    const int col = t / shape.by_slots;
    E* const run = out + col * shape.ld;
    const int row = (t - col * slots) * V - past_vector(run) / static_cast<int>(sizeof(E));
    const int offset = row * tile.row_bytes + col * static_cast<int>(sizeof(E));
    if (row >= 0 && row + V <= block.count) {
      *reinterpret_cast<Vector*>(run + row) = pack<E>([&](int i) { return tile.at(offset + i * tile.row_bytes); });
    } else {
      for (int i = 0; i < V; ++i)
        if (row + i >= 0 && row + i < block.count) run[row + i] = tile.at(offset + i * tile.row_bytes);
    }
  }
}

// in: the runs, out: the stream.
template <class E>
__global__ void interleave(const E* __restrict__ in, E* __restrict__ out, SkinnyShape shape) {
  constexpr int V = kVector<E>;
  constexpr int kItems = 4;
  const SkinnyBlock<E> block(shape);
  in += blockIdx.y * shape.run_stride + block.first;
  out += blockIdx.y * shape.stream_stride + block.first * shape.width;
  const StreamTile<E> tile(shape.width, shape.gap, past_vector(out), shape.by_width);
  const int threads = blockDim.x;
  if (block.simple) {
    const int vectors = shape.width << shape.log_run;
    const int mask = (1 << shape.log_run) - 1;
    for (int t = threadIdx.x; t < vectors; t += kItems * threads) {
      Vector value[kItems];
#pragma unroll
      for (int i = 0; i < kItems; ++i) {
        const int v = t + i * threads;
        if (v < vectors) value[i] = *reinterpret_cast<const Vector*>(in + (v >> shape.log_run) * shape.ld + (v & mask) * V);
      }
#pragma unroll
      for (int i = 0; i < kItems; ++i) {
        const int v = t + i * threads;
        if (v < vectors) tile.put_column(v & mask, v >> shape.log_run, value[i]);
      }
    }
  } else {
    const int slots = (1 << shape.log_run) + 1;
#pragma unroll 2
    for (int t = threadIdx.x; t < shape.width * slots; t += threads) {
      const int col = t / shape.by_slots;
      const E* const run = in + col * shape.ld;
      const int row = (t - col * slots) * V - past_vector(run) / static_cast<int>(sizeof(E));
      const int offset = row * tile.row_bytes + col * static_cast<int>(sizeof(E));
      if (row >= 0 && row + V <= block.count) {
        const Vector value = *reinterpret_cast<const Vector*>(run + row);
#pragma unroll
        for (int i = 0; i < V; ++i) tile.at(offset + i * tile.row_bytes) = unpack<E>(value, i);
      } else {
        for (int i = 0; i < V; ++i)
          if (row + i >= 0 && row + i < block.count) tile.at(offset + i * tile.row_bytes) = run[row + i];
      }
    }
  }
  __syncthreads();
  tile.store_stream(out, block.count * shape.width);
}

}  // namespace xpose::kernels
