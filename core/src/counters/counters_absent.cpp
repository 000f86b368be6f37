// The functions of counters.cpp for a build without CUPTI.
#include "counters/counters.hpp"

namespace xpose {
namespace {
constexpr const char* kReason =
    "built without CUPTI: build xpose with the CUDA Toolkit 13 or later to read the counters";
}

std::variant<CounterSchedule, std::string> counter_schedule(const std::string&) { return kReason; }

std::variant<std::vector<LaunchedKernel>, std::string> launched_kernels(Device, const Launch&,
                                                                        const AtStep&) {
  return kReason;
}

std::variant<Counted, std::string> count(Device, const Launch&, const AtStep&) { return kReason; }

}  // namespace xpose
