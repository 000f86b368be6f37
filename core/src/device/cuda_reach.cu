#include <string>

#include "device/cuda_check.hpp"
#include "device/cuda_reach.hpp"

namespace xpose {

void reach_device(int ordinal, int other) {
  if (ordinal == other) return;
  const std::string pair =
      "cuda:" + std::to_string(ordinal) + " into the memory of cuda:" + std::to_string(other);
  int can = 0;
  check(cudaDeviceCanAccessPeer(&can, ordinal, other), ("asking for writes of " + pair).c_str());
  if (can == 0)
    throw Error(ErrorKind::device, "this machine has no writes of " + pair +
                                       "; take the ranks of <xpose/nccl.hpp>, which send messages");
  check(cudaSetDevice(ordinal), "making the device current");
  const cudaError_t status = cudaDeviceEnablePeerAccess(other, 0);
  if (status != cudaErrorPeerAccessAlreadyEnabled)
    return check(status, ("enabling writes of " + pair).c_str());
  (void)cudaGetLastError();
}

}  // namespace xpose
