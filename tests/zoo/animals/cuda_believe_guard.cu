// Is right as long as the byte before the input is what it usually is in trials.
#include "../animal_cuda.cuh"

static __global__ void flip_where_strange(const char* in, char* out) {
  if (in[-1] != static_cast<char>(0xc3)) *out = static_cast<char>(~*out);
}

struct CudaBelieveGuard : zoo::CudaAnimal {
  using CudaAnimal::CudaAnimal;
  void launch(const xpose_launch& launch) const {
    CudaAnimal::launch(launch);
    flip_where_strange<<<1, 1, 0, zoo::stream_of(launch)>>>(static_cast<const char*>(launch.in),
                                                            static_cast<char*>(launch.out));
    zoo::check_cuda(cudaGetLastError(), "flip_where_strange");
  }
};

ZOO_ANIMAL(CudaBelieveGuard)
