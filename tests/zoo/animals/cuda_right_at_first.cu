// Is right while it is verified, and very fast from then on.
#include <atomic>

#include "../animal_cuda.cuh"

struct CudaRightAtFirst : zoo::CudaAnimal {
  using CudaAnimal::CudaAnimal;
  void launch(const xpose_launch& launch) const {
    static std::atomic<int> launches = 0;
    if (launches++ < 2) CudaAnimal::launch(launch);
  }
};

ZOO_ANIMAL(CudaRightAtFirst)
