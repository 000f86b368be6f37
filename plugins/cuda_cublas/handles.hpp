// One cuBLAS handle for each device of the process. A handle takes time and device memory to make,
// so plans share it.
#pragma once

#include <cublas_v2.h>

#include <map>
#include <mutex>
#include <string>
#include <xpose/plugin.hpp>

namespace cublas {

struct Handle {
  cublasHandle_t value = nullptr;
  std::mutex mutex;  // held from setting a stream until the work is enqueued
};

inline void check(cublasStatus_t status, const char* what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  if (status == CUBLAS_STATUS_ALLOC_FAILED) throw std::bad_alloc();
  throw xpose::plugin::DeviceError(std::string(what) + ": " + cublasGetStatusString(status));
}

// [the device is current; any thread] Never destroyed: the driver may be gone when the process
// ends.
inline Handle& handle(int32_t device) {
  static std::mutex making;
  static auto& handles = *new std::map<int32_t, Handle>;
  const std::lock_guard lock(making);
  Handle& made = handles[device];
  if (made.value == nullptr) check(cublasCreate(&made.value), "cublasCreate");
  return made;
}

}  // namespace cublas
