#include "counters/cuda_driver.hpp"

#include <cuda.h>

#include "process/runtime_library.hpp"
#include "process/steps.hpp"

namespace xpose {
namespace {

#define XPOSE_FUNCTIONS(X)     \
  X(cuInit)                    \
  X(cuGetErrorName)            \
  X(cuDeviceGet)               \
  X(cuDeviceGetAttribute)      \
  X(cuDevicePrimaryCtxRetain)  \
  X(cuDevicePrimaryCtxRelease) \
  X(cuCtxPushCurrent)          \
  X(cuCtxPopCurrent)           \
  X(cuCtxSynchronize)          \
  X(cuFuncGetAttribute)        \
  X(cuKernelGetFunction)       \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor)

XPOSE_FUNCTIONS_OF_LIBRARY(Driver, XPOSE_FUNCTIONS);
#undef XPOSE_FUNCTIONS

const Driver& driver() {
  static const RuntimeLibrary library("NVIDIA's driver", {"libcuda.so.1"},
                                      "install a driver for CUDA 13, or run where there is one");
  static const Driver functions(library);
  return functions;
}

void check(CUresult status, const std::string& step) {
  if (status == CUDA_SUCCESS) return;
  const char* name = nullptr;
  (void)driver().cuGetErrorName(status, &name);
  throw Denial{step + ": the driver answered " +
               (name == nullptr ? std::to_string(status) : std::string(name))};
}

}  // namespace

PrimaryContext::PrimaryContext(int ordinal) {
  check(driver().cuInit(0), "starting the driver");
  check(driver().cuDeviceGet(&device_, ordinal), "looking for cuda:" + std::to_string(ordinal));
  CUcontext context = nullptr;
  check(driver().cuDevicePrimaryCtxRetain(&context, device_), "taking the device's context");
  context_ = context;
  const CUresult status = driver().cuCtxPushCurrent(context);
  if (status != CUDA_SUCCESS) (void)driver().cuDevicePrimaryCtxRelease(device_);
  check(status, "making the device's context current");
}

PrimaryContext::~PrimaryContext() {
  CUcontext popped = nullptr;
  (void)driver().cuCtxPopCurrent(&popped);
  (void)driver().cuDevicePrimaryCtxRelease(device_);
}

void PrimaryContext::synchronize() const {
  check(driver().cuCtxSynchronize(), "waiting for the launch");
}

void PrimaryContext::describe(void* function, LaunchedKernel& kernel) const {
  auto* of = static_cast<CUfunction>(function);
  int value = 0;
  if (driver().cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, of) != CUDA_SUCCESS) {
    check(driver().cuKernelGetFunction(&of, static_cast<CUkernel>(function)),
          "finding the function of the kernel " + kernel.name);
    check(driver().cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, of),
          "reading the registers of " + kernel.name);
  }
  kernel.registers = static_cast<std::uint32_t>(value);
  check(driver().cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, of),
        "reading the shared memory of " + kernel.name);
  kernel.static_shared_bytes = static_cast<std::uint64_t>(value);

  const std::uint32_t threads = kernel.block[0] * kernel.block[1] * kernel.block[2];
  int blocks = 0;
  check(driver().cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, of, static_cast<int>(threads),
                                                             kernel.dynamic_shared_bytes),
        "asking for the occupancy of " + kernel.name);
  kernel.blocks_per_multiprocessor = static_cast<std::uint32_t>(blocks);
  check(driver().cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR,
                                      device_),
        "asking for the threads of a multiprocessor");
  kernel.occupancy =
      occupancy(kernel.blocks_per_multiprocessor, threads, static_cast<std::uint32_t>(value));
}

}  // namespace xpose
