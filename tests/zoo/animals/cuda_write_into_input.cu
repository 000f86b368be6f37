// Changes a byte of the input.
#include "../animal_cuda.cuh"

struct CudaWriteIntoInput : zoo::CudaAnimal {
  using CudaAnimal::CudaAnimal;
  void launch(const xpose_launch& launch) const {
    CudaAnimal::launch(launch);
    zoo::flip_on_device(launch.in, launch);
  }
};

ZOO_ANIMAL(CudaWriteIntoInput)
