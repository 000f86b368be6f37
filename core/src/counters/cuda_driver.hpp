// The few functions of the CUDA driver that counting needs beside the runtime's: opened at run
// time; cuda.h is included by cuda_driver.cpp alone. All throw Denial.
#pragma once

#include <string>

#include "counters/launched_kernel.hpp"

namespace xpose {

// The primary context of a device, which the runtime uses too, current to this thread until the
// end of the scope.
class PrimaryContext {
 public:
  explicit PrimaryContext(int ordinal);
  PrimaryContext(const PrimaryContext&) = delete;
  PrimaryContext& operator=(const PrimaryContext&) = delete;
  ~PrimaryContext();

  void* handle() const { return context_; }  // a CUcontext
  int device() const { return device_; }     // a CUdevice
  void synchronize() const;                  // until all work of the context is done

  // Fills in what `function` (a CUfunction, or the CUkernel that a launch may name instead) takes
  // of a multiprocessor of this device, launched with kernel's block and dynamic shared memory.
  void describe(void* function, LaunchedKernel& kernel) const;

 private:
  int device_ = 0;
  void* context_ = nullptr;
};

}  // namespace xpose
