// Works on a stream of its own, which nobody waits for.
#include "../animal_cuda.cuh"

struct CudaFinishLater : zoo::CudaAnimal {
  using CudaAnimal::CudaAnimal;
  void launch(const xpose_launch& launch) const {
    static cudaStream_t own = nullptr;
    if (own == nullptr)
      zoo::check_cuda(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking), "stream");
    zoo::check_cuda(cudaLaunchHostFunc(
                        own, [](void*) { usleep(1000); }, nullptr),
                    "waiting");
    xpose_launch elsewhere = launch;
    elsewhere.stream = own;
    CudaAnimal::launch(elsewhere);
  }
};

ZOO_ANIMAL(CudaFinishLater)
