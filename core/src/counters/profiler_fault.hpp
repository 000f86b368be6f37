// The profiler's answers, as sentences with a remedy.
#pragma once

#include <string>

namespace xpose {

// Those of CUPTI's statuses that somebody can do something about; their values are CUPTI's.
enum class ProfilerFault {
  out_of_memory = 8,
  not_compatible = 14,
  not_initialized = 15,
  hardware_busy = 26,
  not_supported = 27,
  virtualized_device_not_supported = 33,
  insufficient_privileges = 35,
  old_profiler_api_initialized = 36,
  multiple_subscribers_not_supported = 39,
  virtualized_device_insufficient_privileges = 40,
  confidential_computing_not_supported = 41,
  cmp_device_not_supported = 42,
  mig_device_not_supported = 43,
  wsl_device_not_supported = 45,
  invalid_chip_name = 46,
};

// One line: the step that failed ("starting a pass"), why, the status's name and what to do.
std::string profiler_fault(const std::string& step, int status, const std::string& name);

}  // namespace xpose
