// One launch of a strategy, measured by the hardware's own counters, and what its kernels take of a
// multiprocessor. CUPTI does it in this process: its library is opened at run time, so that xpose
// runs where it is absent, and is included by cupti.hpp alone.
//
// A launch is a function that enqueues work on the default stream of the device's primary context
// with buffers that the caller has prepared; it is called once a pass, so it must be repeatable.
// Buffers that rotate from call to call keep the caches as cold as they are in a trial. Errors that
// it throws pass through. Nothing else may run on the device meanwhile, since its work is counted
// too. A failure comes back as one line with its remedy.
//
// Time a strategy before counting it: CUPTI may leave hooks in the driver. [any thread, one at a
// time: a second call waits]
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>
#include <xpose/explain.hpp>

#include "counters/launched_kernel.hpp"
#include "process/steps.hpp"

namespace xpose {

using Launch = std::function<void()>;

// The metrics that a chip has, and the passes that counting them takes.
struct CounterSchedule {
  std::vector<std::string> metrics;
  std::vector<std::string> unknown;  // wanted, but not known on the chip
  std::size_t passes = 0;
};

// The result of counting. Times are left at zero.
struct Counted {
  HardwareAccount account;  // registers, shared memory and occupancy: of leading_kernel(kernels)
  std::vector<LaunchedKernel> kernels;
  std::string chip;
  std::size_t passes = 0;
  std::vector<std::pair<std::string, double>> values;  // by metric, as they came
  std::vector<std::string> notes;  // what the account lacks; one line each, empty: nothing
};

// Plans the counting on a chip ("GH100") without a device: needs CUPTI's library alone.
std::variant<CounterSchedule, std::string> counter_schedule(const std::string& chip);

// The kernels that one launch starts, in order. Needs a device but no permission.
std::variant<std::vector<LaunchedKernel>, std::string> launched_kernels(Device device,
                                                                        const Launch& launch,
                                                                        const AtStep& at_step = {});

// Counts one launch. Launches once for launched_kernels, then once a pass.
std::variant<Counted, std::string> count(Device device, const Launch& launch,
                                         const AtStep& at_step = {});

}  // namespace xpose
