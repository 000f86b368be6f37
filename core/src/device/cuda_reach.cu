#include <cstring>
#include <string>

#include "device/cuda_check.hpp"
#include "device/cuda_driver.hpp"
#include "device/cuda_reach.hpp"
#include "process/steps.hpp"

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

MemoryName cuda_name_of(void* memory, int ordinal) {
  if (memory == nullptr) return {};
  MemoryName name{static_cast<std::byte*>(memory), 0, own_process(), ordinal};
  static_assert(sizeof(cudaIpcMemHandle_t) == sizeof name.handle);
  cudaIpcMemHandle_t handle;
  if (cudaIpcGetMemHandle(&handle, memory) != cudaSuccess) {
    (void)cudaGetLastError();
    return name;
  }
  try {
    name.offset =
        static_cast<std::uint64_t>(name.address - static_cast<std::byte*>(allocation_of(memory)));
  } catch (const Denial&) {  // where the driver is older than this build
    return name;
  }
  name.is_shared = 1;
  std::memcpy(name.handle.data(), &handle, sizeof handle);
  return name;
}

void* map_cuda_memory(const MemoryName& name, int ordinal) {
  if (name.process == own_process()) {
    try {
      reach_device(ordinal, name.ordinal);
    } catch (const Error&) {
      return nullptr;
    }
    return name.address - name.offset;
  }
  if (name.is_shared == 0) return nullptr;
  cudaIpcMemHandle_t handle;
  std::memcpy(&handle, name.handle.data(), sizeof handle);
  void* begin = nullptr;
  if (cudaIpcOpenMemHandle(&begin, handle, cudaIpcMemLazyEnablePeerAccess) == cudaSuccess)
    return begin;
  (void)cudaGetLastError();
  return nullptr;
}

void unmap_cuda_memory(const MemoryName& name, void* begin) noexcept {
  if (name.process != own_process() && cudaIpcCloseMemHandle(begin) != cudaSuccess)
    (void)cudaGetLastError();
}

}  // namespace xpose
