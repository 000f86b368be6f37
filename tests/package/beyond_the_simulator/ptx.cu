#include "rows.cuh"

__global__ void rows(const uint32_t* in, uint32_t* out, Problem p) {
  for (int64_t r = blockIdx.x; r < p.rows; r += gridDim.x)
    for (int64_t c = threadIdx.x; c < p.cols; c += blockDim.x)
      asm volatile("st.global.cs.u32 [%0], %1;" ::"l"(out + c * p.out_ld + r),  // HERE
                   "r"(in[r * p.in_ld + c]));
}

void Rows::launch(const Launch& launch) const {
  launch_kernel("rows", rows, {256}, {128}, 0, launch.stream,
                static_cast<const uint32_t*>(launch.in), static_cast<uint32_t*>(launch.out),
                problem_);
}

XPOSE_PLUGIN("ptx", "1.0", Rows)
