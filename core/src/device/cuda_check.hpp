// Calls of the CUDA runtime that fail become errors. The runtime enters here alone.
#pragma once

#include <cuda_runtime.h>

#include <string>
#include <xpose/problem.hpp>

namespace xpose {

// Throws Error no_memory or device: `what` failed, for the runtime's reason.
inline void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  (void)cudaGetLastError();
  const ErrorKind kind =
      status == cudaErrorMemoryAllocation ? ErrorKind::no_memory : ErrorKind::device;
  throw Error(kind, std::string(what) + ": " + cudaGetErrorString(status));
}

}  // namespace xpose
