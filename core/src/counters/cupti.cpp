#include "counters/cupti.hpp"

#include "counters/profiler_fault.hpp"
#include "process/steps.hpp"

namespace xpose {
namespace {

constexpr bool same(CUptiResult status, ProfilerFault fault) {
  return static_cast<int>(status) == static_cast<int>(fault);
}
static_assert(same(CUPTI_ERROR_OUT_OF_MEMORY, ProfilerFault::out_of_memory));
static_assert(same(CUPTI_ERROR_NOT_COMPATIBLE, ProfilerFault::not_compatible));
static_assert(same(CUPTI_ERROR_NOT_INITIALIZED, ProfilerFault::not_initialized));
static_assert(same(CUPTI_ERROR_HARDWARE_BUSY, ProfilerFault::hardware_busy));
static_assert(same(CUPTI_ERROR_NOT_SUPPORTED, ProfilerFault::not_supported));
static_assert(same(CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED,
                   ProfilerFault::virtualized_device_not_supported));
static_assert(same(CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, ProfilerFault::insufficient_privileges));
static_assert(same(CUPTI_ERROR_OLD_PROFILER_API_INITIALIZED,
                   ProfilerFault::old_profiler_api_initialized));
static_assert(same(CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED,
                   ProfilerFault::multiple_subscribers_not_supported));
static_assert(same(CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES,
                   ProfilerFault::virtualized_device_insufficient_privileges));
static_assert(same(CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED,
                   ProfilerFault::confidential_computing_not_supported));
static_assert(same(CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED, ProfilerFault::cmp_device_not_supported));
static_assert(same(CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED, ProfilerFault::mig_device_not_supported));
static_assert(same(CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED, ProfilerFault::wsl_device_not_supported));
static_assert(same(CUPTI_ERROR_INVALID_CHIP_NAME, ProfilerFault::invalid_chip_name));

}  // namespace

const Cupti& cupti() {
  const std::string version = std::to_string(CUDA_VERSION / 1000);
  static const RuntimeLibrary library(
      "CUPTI", toolkit_paths("libcupti.so." + version),
      "install CUPTI of the CUDA Toolkit " + version + ", or name the toolkit in CUDA_HOME");
  static const Cupti functions(library);
  return functions;
}

void check_cupti(CUptiResult status, const std::string& step) {
  if (status == CUPTI_SUCCESS) return;
  const char* name = nullptr;
  (void)cupti().cuptiGetResultString(status, &name);
  throw Denial{profiler_fault(step, status, name == nullptr ? std::to_string(status) : name)};
}

}  // namespace xpose
