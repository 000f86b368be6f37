// 32 threads, each with a record of 32 floats in shared memory: field i of all the records lies in
// one bank, unless a record is one float longer than that. The loops are not unrolled, so that the
// compiler does not take four fields at once.
#pragma once

namespace xpose::lab {

template <int Pad>
struct Record {
  float field[32 + Pad];
};

// One warp; in and out are (32, 32), a row a field.
template <int Pad>
__global__ void records(const float* in, float* out) {
  __shared__ Record<Pad> record[32];
#pragma unroll 1
  for (int i = 0; i < 32; ++i) record[threadIdx.x].field[i] = in[i * 32 + threadIdx.x];
  __syncwarp();
#pragma unroll 1
  for (int i = 0; i < 32; ++i) out[i * 32 + threadIdx.x] = record[threadIdx.x].field[i];
}

}  // namespace xpose::lab
