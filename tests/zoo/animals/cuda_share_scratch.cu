// Goes by way of memory that all its launches have in common.
#include "../animal_cuda.cuh"

static constexpr int64_t kMostBytes = 1 << 20;
static __device__ char scratch[kMostBytes];

static __global__ void to_scratch(const char* in, int64_t cols, int64_t in_ld, int64_t bytes) {
  const int64_t row = blockIdx.x;
  for (int64_t i = threadIdx.x; i < cols * bytes; i += blockDim.x)
    scratch[row * cols * bytes + i] = in[row * in_ld * bytes + i];
}

static __global__ void from_scratch(char* out, int64_t cols, int64_t out_ld, int64_t bytes) {
  const int64_t row = blockIdx.x;
  for (int64_t i = threadIdx.x; i < cols * bytes; i += blockDim.x)
    out[(i / bytes * out_ld + row) * bytes + i % bytes] = scratch[row * cols * bytes + i];
}

struct CudaShareScratch : zoo::CudaAnimal {
  using CudaAnimal::CudaAnimal;

  static zoo::Quote quote(const zoo::Problem& problem, const zoo::Config& config) {
    if (problem.rows * problem.cols * problem.element_bytes > kMostBytes)
      throw zoo::Unsupported("more than the scratch holds");
    return CudaAnimal::quote(problem, config);
  }

  void launch(const xpose_launch& launch) const {
    const auto rows = static_cast<unsigned>(problem_.rows);
    to_scratch<<<rows, 128, 0, zoo::stream_of(launch)>>>(
        static_cast<const char*>(launch.in), problem_.cols, problem_.in_ld, problem_.element_bytes);
    from_scratch<<<rows, 128, 0, zoo::stream_of(launch)>>>(
        static_cast<char*>(launch.out), problem_.cols, problem_.out_ld, problem_.element_bytes);
    zoo::check_cuda(cudaGetLastError(), "from_scratch");
  }
};

ZOO_ANIMAL(CudaShareScratch)
