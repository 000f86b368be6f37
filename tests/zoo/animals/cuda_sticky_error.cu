// Is right, then breaks the context for good, sees it, and says nothing.
#include "../animal_cuda.cuh"

static __global__ void trap() { __trap(); }

struct CudaStickyError : zoo::CudaAnimal {
  using CudaAnimal::CudaAnimal;
  void launch(const xpose_launch& launch) const {
    CudaAnimal::launch(launch);
    cudaStreamSynchronize(zoo::stream_of(launch));
    trap<<<1, 1, 0, zoo::stream_of(launch)>>>();
    cudaStreamSynchronize(zoo::stream_of(launch));
    cudaGetLastError();
  }
};

ZOO_ANIMAL(CudaStickyError)
