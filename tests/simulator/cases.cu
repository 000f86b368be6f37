// Kernels that each show one thing of the simulator. A case reads 4-byte words and writes 4-byte
// words, with one block of `rows` threads for each of `cols` blocks.
#include <xpose/cuda.hpp>

using namespace xpose;
using namespace xpose::plugin;

namespace {

// Each names a kernel (const uint32_t* in, uint32_t* out) and has 1024 bytes of dynamic memory.
#define CASE(NAME)                                                                                \
  __global__ void NAME##_kernel(const uint32_t* in, uint32_t* out);                               \
  struct NAME {                                                                                   \
    static Card card() { return {.name = #NAME, .device_kind = XPOSE_CUDA}; }                     \
    static Quote quote(const Problem&, const Config&) { return {}; }                              \
    NAME(const Problem& problem, const Config&) : problem_(problem) {}                            \
    void launch(const Launch& launch) const {                                                     \
      launch_kernel(#NAME, NAME##_kernel, {static_cast<uint32_t>(problem_.cols)},                 \
                    {static_cast<uint32_t>(problem_.rows)}, 1024, launch.stream,                  \
                    static_cast<const uint32_t*>(launch.in), static_cast<uint32_t*>(launch.out)); \
    }                                                                                             \
    Problem problem_;                                                                             \
  };                                                                                              \
  __global__ void NAME##_kernel([[maybe_unused]] const uint32_t* in, [[maybe_unused]] uint32_t* out)

CASE(staged) {
  __shared__ uint32_t fixed[64];
  uint32_t* const dynamic = shared_memory<uint32_t>();
  const unsigned t = threadIdx.x;
  fixed[t] = in[blockIdx.x * blockDim.x + t];
  dynamic[2 * t] = t;
  __syncthreads();
  out[blockIdx.x * blockDim.x + t] = fixed[blockDim.x - 1 - t] + dynamic[2 * t];
}

CASE(branches) {
  const unsigned t = threadIdx.x;
  if (t % 2 == 0) {
    out[t] = in[t];
  } else {
    out[t] = in[t + 100] + 1;
  }
  for (unsigned i = 0; i <= t % 3; ++i) out[100 + 10 * t + i] = i;
}

CASE(early_return) {
  if (threadIdx.x >= 5) return;
  out[threadIdx.x] = in[threadIdx.x];
}

CASE(shuffled) {
  const unsigned t = threadIdx.x, all = 0xffffffffu;
  out[t] = __shfl_xor_sync(all, in[t], 1);
  out[32 + t] = __shfl_up_sync(all, t, 2, 8);
  out[64 + t] = __shfl_down_sync(all, t, 3, 16);
  out[96 + t] = __shfl_sync(all, t, 35, 4);
  out[128 + t] = __ballot_sync(all, t % 3 == 0);
  out[160 + t] = __any_sync(all, t == 7) * 2 + __all_sync(all, t < 31);
  const float4 own = make_float4(t, t + 0.5f, t + 0.25f, -1.0f * t);
  const float4 other = __shfl_sync(all, own, 31 - t);
  out[192 + t] = static_cast<uint32_t>(other.x) + (other.y == other.x + 0.5f);
  if (t < 16) {
    __syncwarp(0xffff);
    out[224 + t] = __shfl_xor_sync(0xffff, t, 8);
  } else {
    out[224 + t] = __activemask();
  }
  __syncwarp();
}

CASE(voted) {
  out[threadIdx.x] = static_cast<uint32_t>(__syncthreads_count(threadIdx.x < 40)) * 4 +
                     static_cast<uint32_t>(__syncthreads_and(threadIdx.x < 64)) * 2 +
                     static_cast<uint32_t>(__syncthreads_or(threadIdx.x == 64));
}

template <class E>
__device__ void move_one(const uint32_t* in, uint32_t* out) {
  E value[2];
  for (int i = 0; i < 1; ++i) value[i] = reinterpret_cast<const E*>(in)[threadIdx.x];
  for (int i = 0; i < 1; ++i) reinterpret_cast<E*>(out)[threadIdx.x] = value[i];
}
CASE(element_16) { move_one<Element<16>>(in, out); }
CASE(element_16_4) { move_one<Element<16, 4>>(in, out); }
CASE(element_8_2) { move_one<Element<8, 2>>(in, out); }
CASE(element_1) { move_one<Element<1>>(in, out); }

CASE(vectors) {
  const unsigned t = threadIdx.x;
  float4 v = reinterpret_cast<const float4*>(in)[t];
  v.x += v.w;
  reinterpret_cast<float4*>(out)[t] = v;
  __stcs(reinterpret_cast<uint2*>(out) + 2 * t, __ldg(reinterpret_cast<const uint2*>(in) + t));
}

CASE(behind_input) { out[threadIdx.x] = in[threadIdx.x + 1000]; }
CASE(before_output) { out[static_cast<int>(threadIdx.x) - 3] = 0; }
CASE(null_pointer) { *static_cast<volatile uint32_t*>(nullptr) = in[0]; }
CASE(across_the_end) {
  out[0] = 7;
  reinterpret_cast<uint4*>(out)[threadIdx.x + 255] = uint4{};
  reinterpret_cast<uint2*>(out + 1022)[threadIdx.x] = uint2{};
}
CASE(misaligned) {
  const auto* const bytes = reinterpret_cast<const unsigned char*>(in);
  out[threadIdx.x] =
      *reinterpret_cast<const uint32_t*>(bytes + 4 * threadIdx.x + (threadIdx.x & 2));
}
CASE(behind_shared) { shared_memory<uint32_t>()[threadIdx.x * 64] = in[0]; }
CASE(past_a_tile) {
  __shared__ uint32_t tile[8][4];
  tile[threadIdx.x / 4][threadIdx.x % 4 + (threadIdx.x == 31)] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x % 8][threadIdx.x / 8];
}
CASE(foreign_memory) {
  static uint32_t* const host = new uint32_t{5};
  out[threadIdx.x] = *host;
}

CASE(barrier_for_some) {
  if (threadIdx.x < 3) __syncthreads();
  out[threadIdx.x] = 1;
}
CASE(two_barriers) {
  if (threadIdx.x % 2 == 0) {
    __syncthreads();  // line A
  } else {
    out[0] = in[0];
    __syncthreads();  // line B
  }
}
CASE(missing_lane) {
  if (threadIdx.x == 9)
    __syncthreads();
  else
    __syncwarp();
}
CASE(throws) {
  if (threadIdx.x == 3) throw Unsupported("thread 3 has had enough");
}

struct no_simulation {
  static Card card() { return {.name = "no_simulation", .device_kind = XPOSE_CUDA}; }
  static Quote quote(const Problem&, const Config&) { return {}; }
  no_simulation(const Problem&, const Config&) {}
  void launch(const Launch&) const {
#ifdef XPOSE_SIMULATOR
    throw Unsupported("the simulator has no bulk copies");
#endif
  }
};

struct outside {
  static Card card() { return {.name = "outside", .device_kind = XPOSE_CUDA}; }
  static Quote quote(const Problem&, const Config&) { return {}; }
  outside(const Problem&, const Config&) {}
  void launch(const Launch& launch) const {
    check_cuda(cudaMemcpyAsync(launch.out, launch.in, 8192, cudaMemcpyDeviceToDevice, nullptr), "");
  }
};

}  // namespace

XPOSE_PLUGIN("cases", "1", staged, branches, early_return, shuffled, voted, element_16,
             element_16_4, element_8_2, element_1, vectors, behind_input, before_output,
             null_pointer, across_the_end, misaligned, behind_shared, past_a_tile, foreign_memory,
             barrier_for_some, two_barriers, missing_lane, throws, no_simulation, outside)
