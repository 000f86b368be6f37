#include "counters/counters.hpp"

#include <mutex>
#include <optional>

#include "counters/counter_names.hpp"
#include "counters/launch_watch.hpp"
#include "counters/profiler.hpp"
#include "device/cuda_driver.hpp"

namespace xpose {
namespace {

std::mutex counting;  // CUPTI has one subscriber and one set of counters

std::vector<std::string> wanted_metrics() {
  std::vector<std::string> names;
  for (const Counter& counter : counters()) names.emplace_back(counter.metric);
  return names;
}

void refuse_other_devices(Device device) {
  if (device.kind != DeviceKind::cuda)
    throw Denial{to_string(device) + " has no counters that xpose reads: count on a CUDA device"};
}

std::uint32_t threads_per_block(const LaunchedKernel& kernel) {
  return kernel.block[0] * kernel.block[1] * kernel.block[2];
}

void take_needs(LaunchedKernel& kernel, const KernelNeeds& needs) {
  kernel.registers = needs.registers;
  kernel.static_shared_bytes = needs.static_shared_bytes;
  kernel.blocks_per_multiprocessor = needs.blocks_per_multiprocessor;
  kernel.occupancy =
      occupancy(needs.blocks_per_multiprocessor, threads_per_block(kernel), needs.most_threads);
}

std::vector<LaunchedKernel> watch(const PrimaryContext& context, LaunchWatch& watcher,
                                  const Launch& launch, const AtStep& at_step) {
  begin_step(at_step, "watching a launch");
  std::vector<LaunchedKernel> kernels;
  for (auto& [kernel, function] : watcher.watch([&] {
         launch();
         context.synchronize();
       })) {
    begin_step(at_step, "describing a kernel");
    take_needs(kernel, context.needs_of(function, kernel.name, threads_per_block(kernel),
                                        kernel.dynamic_shared_bytes));
    kernels.push_back(kernel);
  }
  return kernels;
}

void add_kernels(Counted& counted) {
  const LaunchedKernel* kernel = leading_kernel(counted.kernels);
  if (kernel == nullptr) {
    counted.notes.emplace_back("the launch started no kernel that the driver reported");
    return;
  }
  if (counted.kernels.size() > 1)
    counted.notes.push_back("the launch started " + std::to_string(counted.kernels.size()) +
                            " kernels: counters are of all, registers, shared memory and "
                            "occupancy of " +
                            kernel->name);
  HardwareAccount& account = counted.account;
  account.registers = kernel->registers;
  account.shared_bytes = kernel->static_shared_bytes + kernel->dynamic_shared_bytes;
  account.blocks_per_multiprocessor = kernel->blocks_per_multiprocessor;
  account.occupancy = kernel->occupancy;
}

Counted count_or_refuse(Device device, const Launch& launch, const AtStep& at_step) {
  refuse_other_devices(device);
  Counted counted;
  begin_step(at_step, "taking the device's context");
  const PrimaryContext context(device.ordinal);
  begin_step(at_step, "subscribing to CUPTI");
  LaunchWatch watcher;
  counted.kernels = watch(context, watcher, launch, at_step);
  add_kernels(counted);

  begin_step(at_step, "starting the profiler");
  Profiler profiler(context.handle(), context.device(), at_step);
  begin_step(at_step, "asking for the chip");
  counted.chip = chip_name(device.ordinal);
  begin_step(at_step, "planning the passes");
  const CounterPlan plan(counted.chip, wanted_metrics());
  counted.passes = plan.passes();
  const auto image = profiler.count(plan, [&] {
    launch();
    context.synchronize();
  });
  begin_step(at_step, "reading the counters");
  const std::vector<double> values = plan.evaluate(image);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string& metric = plan.metrics()[i];
    counted.values.emplace_back(metric, values[i]);
    if (!set_counter(counted.account, metric, values[i]))
      counted.notes.push_back(metric + " left out: it came as " + std::to_string(values[i]));
  }
  for (const std::string& metric : plan.unknown())
    counted.notes.push_back(metric + " left out: the chip " + counted.chip + " does not have it");
  return counted;
}

// The result of `f`, or the text of its denial.
template <class F>
auto answer(const F& f) -> std::variant<decltype(f()), std::string> {
  const std::lock_guard lock(counting);
  try {
    return f();
  } catch (const Denial& denial) {
    return denial.text;
  }
}

}  // namespace

std::variant<CounterSchedule, std::string> counter_schedule(const std::string& chip) {
  return answer([&] {
    const CounterPlan plan(chip, wanted_metrics());
    return CounterSchedule{plan.metrics(), plan.unknown(), plan.passes()};
  });
}

std::variant<std::vector<LaunchedKernel>, std::string> launched_kernels(Device device,
                                                                        const Launch& launch,
                                                                        const AtStep& at_step) {
  return answer([&] {
    refuse_other_devices(device);
    const PrimaryContext context(device.ordinal);
    begin_step(at_step, "subscribing to CUPTI");
    LaunchWatch watcher;
    return watch(context, watcher, launch, at_step);
  });
}

std::variant<Counted, std::string> count(Device device, const Launch& launch,
                                         const AtStep& at_step) {
  return answer([&] { return count_or_refuse(device, launch, at_step); });
}

}  // namespace xpose
