// CUPTI's range profiler: one range that is opened around a launch, and replayed by launching
// again, once a pass. (CUPTI documentation, "Range Profiling API".) Throws Denial.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "counters/counter_plan.hpp"
#include "process/steps.hpp"

namespace xpose {

// The counters of a device, held as long as the object lives.
class Profiler {
 public:
  // The context is current. device: a CUdevice.
  Profiler(void* context, int device, const AtStep& at_step);
  Profiler(const Profiler&) = delete;
  Profiler& operator=(const Profiler&) = delete;
  ~Profiler();

  // Launches once a pass, all in one range. `launch` returns when its work is done.
  std::vector<std::uint8_t> count(const CounterPlan& plan, const std::function<void()>& launch);

 private:
  void release() noexcept;
  void check_device(int device) const;
  bool pass(const std::function<void()>& launch) const;
  const AtStep& at_step_;
  void* range_profiler_ = nullptr;
};

// As CUPTI's host functions want it: "GH100".
std::string chip_name(int ordinal);

}  // namespace xpose
