// Starts a kernel that never ends.
#include "../animal_cuda.cuh"

static __device__ volatile int never = 0;

static __global__ void spin() {
  while (never == 0) {
  }
}

struct CudaHang : zoo::CudaAnimal {
  using CudaAnimal::CudaAnimal;
  void launch(const xpose_launch& launch) const {
    CudaAnimal::launch(launch);
    zoo::last_words();
    spin<<<1, 1, 0, zoo::stream_of(launch)>>>();
  }
};

ZOO_ANIMAL(CudaHang)
