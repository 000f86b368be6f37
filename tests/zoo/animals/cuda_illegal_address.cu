// Starts a kernel that writes where nothing is.
#include "../animal_cuda.cuh"

static __global__ void store(int* nowhere) { *nowhere = 1; }

struct CudaIllegalAddress : zoo::CudaAnimal {
  using CudaAnimal::CudaAnimal;
  void launch(const xpose_launch& launch) const {
    CudaAnimal::launch(launch);
    zoo::last_words();
    store<<<1, 1, 0, zoo::stream_of(launch)>>>(reinterpret_cast<int*>(16));
  }
};

ZOO_ANIMAL(CudaIllegalAddress)
