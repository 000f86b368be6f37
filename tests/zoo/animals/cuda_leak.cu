// Takes most of the memory at each launch: the second one finds none.
#include "../animal_cuda.cuh"

struct CudaLeak : zoo::CudaAnimal {
  using CudaAnimal::CudaAnimal;
  void launch(const xpose_launch& launch) const {
    CudaAnimal::launch(launch);
    size_t free = 0, total = 0;
    cudaMemGetInfo(&free, &total);
    void* lost = nullptr;
    if (cudaMalloc(&lost, total / 8 * 5) == cudaSuccess) return;
    cudaGetLastError();
    throw std::bad_alloc();
  }
};

ZOO_ANIMAL(CudaLeak)
