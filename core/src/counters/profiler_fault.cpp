#include "counters/profiler_fault.hpp"

namespace xpose {
namespace {

struct Words {
  const char* why = "";
  const char* remedy = "";  // empty: none is known
};

Words words(ProfilerFault fault) {
  constexpr const char* kOtherDevice = "profile on a device of another kind";
  constexpr const char* kOtherProfiler =
      "end the other profiler or debugger (ncu, nsys, DCGM's profiling, cuda-gdb, "
      "compute-sanitizer) and try again";
  switch (fault) {
    case ProfilerFault::out_of_memory:
      return {"not enough memory", "free some memory of the host and of the device"};
    case ProfilerFault::not_compatible:
    case ProfilerFault::not_initialized:
      return {"CUPTI and the driver do not fit together",
              "install a driver at least as new as the CUDA Toolkit"};
    case ProfilerFault::hardware_busy:
    case ProfilerFault::multiple_subscribers_not_supported:
      return {"something else is profiling", kOtherProfiler};
    case ProfilerFault::insufficient_privileges:
      return {"the driver keeps the counters for administrators",
              "run as root or with CAP_SYS_ADMIN, or have the module nvidia loaded with "
              "NVreg_RestrictProfilingToAdminUsers=0"};
    case ProfilerFault::virtualized_device_insufficient_privileges:
      return {"the hypervisor keeps the counters of this virtual GPU",
              "have its administrator allow profiling of the virtual machine"};
    case ProfilerFault::old_profiler_api_initialized:
      return {"this process already uses CUPTI's old event or metric interface",
              "count in a process of its own"};
    case ProfilerFault::not_supported:
      return {"not supported on this device or system", kOtherDevice};
    case ProfilerFault::virtualized_device_not_supported:
      return {"not supported on a virtual GPU", kOtherDevice};
    case ProfilerFault::confidential_computing_not_supported:
      return {"not supported under confidential computing", kOtherDevice};
    case ProfilerFault::cmp_device_not_supported:
      return {"not supported on mining processors", kOtherDevice};
    case ProfilerFault::mig_device_not_supported:
      return {"not supported on this part of a divided GPU (MIG)", "profile on a whole GPU"};
    case ProfilerFault::wsl_device_not_supported:
      return {"not supported under WSL here", "profile under Linux itself"};
    case ProfilerFault::invalid_chip_name:
      return {"this CUPTI does not know the chip",
              "install the CUDA Toolkit that came with the chip, or a later one"};
  }
  return {};
}

}  // namespace

std::string profiler_fault(const std::string& step, int status, const std::string& name) {
  const auto [why, remedy] = words(static_cast<ProfilerFault>(status));
  std::string text = step + ": ";
  if (*why != '\0')
    text += std::string(why) + " (" + name + ')';
  else
    text += "failed with " + name;
  return *remedy == '\0' ? text : text + "; " + remedy;
}

}  // namespace xpose
