#include "contestant.hpp"

namespace xpose::bench {
namespace {

constexpr unsigned kThreads = 256, kBlocks = 2048;

__global__ void number_elements(std::uint32_t* elements, std::uint64_t first, std::uint64_t count) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step)
    elements[i] = static_cast<std::uint32_t>(first + i);
}

__global__ void count_different(const std::uint32_t* elements, std::uint64_t first_row,
                                std::uint64_t count, std::uint64_t extent,
                                unsigned long long* wrong) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += step) {
    const std::uint64_t row = first_row + i / extent, col = i % extent;
    if (elements[i] != static_cast<std::uint32_t>(col * extent + row)) atomicAdd(wrong, 1ULL);
  }
}

struct Slab {
  Slab(std::int64_t extent, int rank)
      : rows(static_cast<std::uint64_t>(extent / kRanks)),
        first(rows * static_cast<std::uint64_t>(rank)),
        count(rows * static_cast<std::uint64_t>(extent)) {}
  std::uint64_t rows, first, count;
};

}  // namespace

void fill(const RankArrays& arrays, std::int64_t extent, int rank) {
  const Slab slab(extent, rank);
  for (const Arrays& pair : arrays)
    number_elements<<<kBlocks, kThreads>>>(pair.in, slab.first * static_cast<std::uint64_t>(extent),
                                           slab.count);
  check(cudaDeviceSynchronize(), "filling the inputs");
}

std::uint64_t count_wrong(const Arrays& arrays, std::int64_t extent, int rank) {
  const Slab slab(extent, rank);
  unsigned long long* wrong = nullptr;
  unsigned long long found = 0;
  check(cudaMalloc(&wrong, sizeof found), "allocating a number");
  check(cudaMemset(wrong, 0, sizeof found), "clearing a number");
  count_different<<<kBlocks, kThreads>>>(arrays.out, slab.first, slab.count,
                                         static_cast<std::uint64_t>(extent), wrong);
  check(cudaMemcpy(&found, wrong, sizeof found, cudaMemcpyDeviceToHost), "comparing");
  check(cudaFree(wrong), "freeing a number");
  return found;
}

}  // namespace xpose::bench
