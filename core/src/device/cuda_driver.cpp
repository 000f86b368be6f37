#include "device/cuda_driver.hpp"

#include <cuda.h>

#include <map>
#include <mutex>

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
  X(cuMemGetAddressRange)      \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor)

XPOSE_FUNCTIONS_OF_LIBRARY(Driver, XPOSE_FUNCTIONS);
#undef XPOSE_FUNCTIONS

const RuntimeLibrary& library() {
  static const RuntimeLibrary opened("NVIDIA's driver", {"libcuda.so.1"},
                                     "install a driver for CUDA 13, or run where there is one");
  return opened;
}

const Driver& driver() {
  static const Driver functions(library());
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

KernelNeeds PrimaryContext::needs_of(void* function, const std::string& name, std::uint32_t threads,
                                     std::uint64_t dynamic_shared_bytes) const {
  KernelNeeds needs;
  auto* of = static_cast<CUfunction>(function);
  int value = 0;
  if (driver().cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, of) != CUDA_SUCCESS) {
    check(driver().cuKernelGetFunction(&of, static_cast<CUkernel>(function)),
          "finding the function of the kernel " + name);
    check(driver().cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, of),
          "reading the registers of " + name);
  }
  needs.registers = static_cast<std::uint32_t>(value);
  check(driver().cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, of),
        "reading the shared memory of " + name);
  needs.static_shared_bytes = static_cast<std::uint64_t>(value);

  check(driver().cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, of, static_cast<int>(threads),
                                                             dynamic_shared_bytes),
        "asking for the occupancy of " + name);
  needs.blocks_per_multiprocessor = static_cast<std::uint32_t>(value);
  check(driver().cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR,
                                      device_),
        "asking for the threads of a multiprocessor");
  needs.most_threads = static_cast<std::uint32_t>(value);
  return needs;
}

void* allocation_of(void* memory) {
  CUdeviceptr begin = 0;
  std::size_t bytes = 0;
  check(driver().cuMemGetAddressRange(&begin, &bytes, reinterpret_cast<CUdeviceptr>(memory)),
        "asking for an allocation");
  return reinterpret_cast<void*>(begin);
}

#if CUDA_VERSION >= 12040

namespace {

#define XPOSE_FUNCTIONS(X)       \
  X(cuDeviceGetDevResource)      \
  X(cuDevSmResourceSplitByCount) \
  X(cuDevResourceGenerateDesc)   \
  X(cuGreenCtxCreate)            \
  X(cuGreenCtxStreamCreate)

XPOSE_FUNCTIONS_OF_LIBRARY(GreenContexts, XPOSE_FUNCTIONS);
#undef XPOSE_FUNCTIONS

const GreenContexts& green_contexts() {
  static const GreenContexts functions(library());
  return functions;
}

CUgreenCtx half_of(int ordinal) {
  const PrimaryContext context(ordinal);
  CUdevResource all{}, half{}, rest{};
  check(green_contexts().cuDeviceGetDevResource(context.device(), &all, CU_DEV_RESOURCE_TYPE_SM),
        "asking for the multiprocessors");
  unsigned groups = 1;
  check(green_contexts().cuDevSmResourceSplitByCount(&half, &groups, &all, &rest, 0,
                                                     all.sm.smCount / 2),
        "parting the multiprocessors");
  CUdevResourceDesc description = nullptr;
  check(green_contexts().cuDevResourceGenerateDesc(&description, &half, 1),
        "describing a half of the multiprocessors");
  CUgreenCtx green = nullptr;
  check(green_contexts().cuGreenCtxCreate(&green, description, context.device(),
                                          CU_GREEN_CTX_DEFAULT_STREAM),
        "making a context of a half of the multiprocessors");
  return green;
}

}  // namespace

void* make_half_stream(int ordinal, int priority) {
  static std::mutex mutex;
  static std::map<int, CUgreenCtx> halves;  // kept until the process ends, as primary contexts are
  const std::lock_guard lock(mutex);
  auto found = halves.find(ordinal);
  if (found == halves.end()) found = halves.emplace(ordinal, half_of(ordinal)).first;
  CUstream stream = nullptr;
  check(green_contexts().cuGreenCtxStreamCreate(&stream, found->second, CU_STREAM_NON_BLOCKING,
                                                priority),
        "creating a stream");
  return stream;
}

#else

void* make_half_stream(int, int) {
  throw Denial{"this build is of a CUDA Toolkit without green contexts"};
}

#endif

}  // namespace xpose
