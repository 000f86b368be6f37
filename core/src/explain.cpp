#include "xpose/explain.hpp"

#include <variant>

#include "engine.hpp"
#include "explain/limiter.hpp"
#include "explain/measure.hpp"
#include "explain/resident_loads.hpp"
#include "problem/normal_form.hpp"
#include "reported.hpp"
#include "simulation/simulated_device.hpp"
#include "simulation/simulated_run.hpp"

namespace xpose {
namespace {

void add_simulation(Explanation& told, const Registry::Named& named, const DeviceInfo& device,
                    const ExplainOptions& options) {
  auto ran = simulate(named.candidate, told.problem, device, named.plugin, options.progress);
  auto* account = std::get_if<AccessAccount>(&ran);
  if (account == nullptr)
    told.no_simulation = std::get<std::string>(ran);
  else if (account->kernels.empty() && account->findings.empty())
    told.no_simulation = told.variant.strategy +
                         " launches no kernel of its own here, so there is nothing to simulate";
  else
    told.simulation = std::move(*account);
}

// Why the hardware's side is empty stands in its place.
void add_hardware(Explanation& told, Chooser& chooser, const Candidate& candidate,
                  const ExplainOptions& options) {
  if (!options.measure) {
    told.no_hardware = "the device's counters were not asked for";
  } else if (const std::string reason = cuda_unavailable_reason(); !reason.empty()) {
    told.no_hardware = reason + "; the simulator's figures need no device";
  } else {
    auto hardware = measure(chooser, candidate, told.problem);
    if (auto* account = std::get_if<HardwareAccount>(&hardware))
      told.hardware = *account;
    else
      told.no_hardware = std::get<std::string>(hardware);
  }
}

}  // namespace

Explanation explain(Engine& engine, const Problem& problem, const Variant& variant,
                    const ExplainOptions& options) {
  return reported([&] {
    if (problem.device.kind != DeviceKind::cuda)
      throw Error(
          ErrorKind::invalid,
          "explain is about CUDA strategies: give the problem a CUDA device, which need not "
          "be present");
    Explanation told;
    told.problem = normal_form(problem);
    if (is_empty(told.problem))
      throw Error(ErrorKind::invalid,
                  "the problem is empty, or all its elements stay where they are: there is nothing "
                  "to explain");
    const DeviceInfo device = device_or_simulated(problem.device);
    const Registry::Named named =
        EngineAccess::chooser(engine).named(told.problem, device, variant);
    told.variant = named.candidate.variant;
    told.launch = named.candidate.launch;
    add_simulation(told, named, device, options);
    add_hardware(told, EngineAccess::chooser(engine), named.candidate, options);
    told.bytes_in_flight = loads_in_flight(told);
    told.limiter = limiter_words(told);
    return told;
  });
}

}  // namespace xpose
