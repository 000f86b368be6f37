// Changes the byte after the output.
#include "../animal_cuda.cuh"

struct CudaWriteAfterOutput : zoo::CudaAnimal {
  using CudaAnimal::CudaAnimal;
  void launch(const xpose_launch& launch) const {
    CudaAnimal::launch(launch);
    zoo::flip_on_device(output_end(launch), launch);
  }
};

ZOO_ANIMAL(CudaWriteAfterOutput)
