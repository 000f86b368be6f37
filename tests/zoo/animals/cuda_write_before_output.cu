// Changes the byte before the output.
#include "../animal_cuda.cuh"

struct CudaWriteBeforeOutput : zoo::CudaAnimal {
  using CudaAnimal::CudaAnimal;
  void launch(const xpose_launch& launch) const {
    CudaAnimal::launch(launch);
    zoo::flip_on_device(static_cast<char*>(launch.out) - 1, launch);
  }
};

ZOO_ANIMAL(CudaWriteBeforeOutput)
