#include "xpose/conformance.hpp"

#include <memory>
#include <vector>

#include "conformance/conformance_problems.hpp"
#include "conformance/turns.hpp"
#include "device/device.hpp"
#include "device/host_machine.hpp"
#include "problem/normal_form.hpp"
#include "registry/catalog.hpp"
#include "simulation/simulated_device.hpp"
#include "simulation/simulated_runner.hpp"
#include "trial/in_process_runner.hpp"
#include "worker/worker_runner.hpp"

namespace xpose {
namespace {

// One plugin file, described where the options say, without a memory.
struct Subject {
  Cache cache{{}, {}, {}};
  Worker worker;
  Admission admission;
  Catalog catalog;

  Subject(const std::filesystem::path& file, const EngineOptions& options)
      : worker(options.worker.empty() ? default_worker() : options.worker, options.stage_seconds),
        admission(worker, cache, options.warn, options.in_process) {
    add_file(catalog, file, cache);
    describe(catalog, admission);
  }
};

// An experiment is not checked: there is nothing that it must write.
const Strategy& checked_strategy(const Catalog& catalog, const std::string& name) {
  const PluginInfo& plugin = catalog.plugins.front();
  if (!plugin.refused.empty()) throw Error(ErrorKind::failed, "refused " + plugin.refused);
  const Strategy* const* const found = find_strategy(catalog.strategies, name);
  if (found != nullptr && (*found)->info.role != Role::experiment) return **found;
  std::string offered;
  for (const Strategy* strategy : catalog.strategies)
    if (strategy->info.role != Role::experiment)
      offered += (offered.empty() ? "" : ", ") + strategy->info.name;
  throw Error(ErrorKind::no_strategy, plugin.file.filename().string() + " offers no strategy '" +
                                          name + '\'' + strategy_hint(catalog, name) +
                                          "; it offers " + offered);
}

bool is_left_out(const Problem& problem, const Problem& normal, const StrategyInfo& strategy,
                 std::int64_t max_elements) {
  if (problem.in_place && !strategy.in_place) return true;
  return max_elements != 0 && element_count(normal) > max_elements;
}

// The strategy in this process, for the simulator.
const Strategy& loaded_here(Subject& subject, const Strategy& described) {
  try {
    const PluginLibrary& library =
        subject.admission.load(subject.catalog.plugins.front().file, described.digest);
    if (const Strategy* found = find_strategy(library.strategies, described.info.name))
      return *found;
  } catch (const Refusal& refusal) {
    throw Error(ErrorKind::failed, "refused " + refusal.why);
  }
  throw Error(ErrorKind::failed, "the plugin offered " + described.info.name +
                                     " in the worker, but not in this process: a plugin describes "
                                     "itself the same in both");
}

std::unique_ptr<TrialRunner> runner_of(Subject& subject, const Problem& normal,
                                       const DeviceInfo& owner, unsigned threads,
                                       const ConformanceOptions& options) {
  const std::filesystem::path& file = subject.catalog.plugins.front().file;
  if (options.simulator) return std::make_unique<SimulatedRunner>(normal, owner, file);
  if (options.engine.in_process)
    return std::make_unique<InProcessRunner>(backend(normal.device), normal, threads, true);
  return std::make_unique<WorkerRunner>(
      WorkerRunner::Needs{subject.worker,
                          subject.cache,
                          owner,
                          normal,
                          threads,
                          true,
                          [&file](const std::string&) { return file; },
                          {},
                          false});
}

// One truth value a candidate.
std::vector<bool> served(const std::vector<Candidate>& all) {
  std::vector<bool> serves(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) serves[i] = all[i].outcome.verdict == Verdict::ok;
  return serves;
}

// And examined. The first plan is destroyed after its launch; the second is launched twice, so that
// what a plan keeps from one launch to the next is seen as well.
Outcome verify_repeatedly(TrialRunner& runner, const Candidate& candidate) {
  Outcome outcome;
  for (const char* when : {"", "at the second launch, ", "at the third launch, "}) {
    outcome = runner.verify(candidate);
    if (outcome.verdict == Verdict::ok) continue;
    outcome.detail = when + outcome.detail;
    return outcome;
  }
  return runner.examine(candidate);
}

}  // namespace

std::vector<std::uint32_t> conformance_sizes(std::uint32_t element_sizes) {
  std::vector<std::uint32_t> sizes = {1, 2, 4, 8, 16, 32, 48, 256};
  std::erase_if(sizes, [&](std::uint32_t bytes) { return !serves_elements(element_sizes, bytes); });
  return sizes;
}

void check_conformance(const std::filesystem::path& plugin, const Variant& variant,
                       std::uint32_t element_bytes,
                       const std::function<void(const ConformanceCase&)>& each,
                       const ConformanceOptions& options) {
  Subject subject(plugin, options.engine);
  const Strategy& described = checked_strategy(subject.catalog, variant.strategy);
  require_offered(described.info, variant.config);
  const Device device{described.info.device_kind, 0};
  if (options.simulator && !described.info.has_simulator)
    throw Error(ErrorKind::no_strategy, variant.strategy + " has no simulator to run it on");
  const Strategy& strategy = options.simulator ? loaded_here(subject, described) : described;
  const DeviceInfo owner = options.simulator ? device_or_simulated(device) : backend(device).info();
  const unsigned threads =
      options.engine.threads != 0 ? options.engine.threads : std::max(2U, usable_processors());
  TuneOptions tune;
  tune.variants = {variant};
  Turns turns(options.max_configs, element_bytes);
  std::size_t index = 0;
  ConformanceCase last;
  last.variant.strategy = variant.strategy;
  const std::vector<Problem> problems = conformance_problems(element_bytes, device);
  if (options.problem && *options.problem >= problems.size())
    throw Error(ErrorKind::invalid,
                "the suite has " + std::to_string(problems.size()) + " problems for elements of " +
                    std::to_string(element_bytes) + " bytes, numbered from 0, and no problem " +
                    std::to_string(*options.problem));
  for (const Problem& problem : problems) {
    const std::size_t here = index++;
    if (options.problem && *options.problem != here) continue;
    const Problem normal = normal_form(problem);
    if (is_left_out(problem, normal, described.info, options.max_elements)) continue;
    const std::unique_ptr<TrialRunner> runner = runner_of(subject, normal, owner, threads, options);
    const std::vector<Candidate> all = all_candidates(strategy, normal, owner, tune, *runner);
    const std::vector<bool> meets = turns.next(served(all));
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Candidate& candidate = all[i];
      if (candidate.outcome.verdict == Verdict::ok && !meets[i]) continue;
      ConformanceCase result{candidate.variant, here, problem, candidate.outcome.verdict,
                             candidate.outcome.detail};
      if (result.verdict == Verdict::ok) {
        const Outcome outcome =
            options.simulator ? runner->verify(candidate) : verify_repeatedly(*runner, candidate);
        result.verdict = outcome.verdict;
        result.detail = outcome.detail;
      }
      each(result);
      last = std::move(result);
    }
  }
  if (options.simulator || options.engine.in_process) return;
  const Outcome end = subject.worker.leave();
  if (end.verdict == Verdict::ok) return;
  last.verdict = end.verdict;
  last.detail = end.detail;
  last.at_exit = true;
  each(last);
}

PluginInfo inspect_plugin(const std::filesystem::path& plugin, const EngineOptions& options) {
  return Subject(plugin, options).catalog.plugins.front();
}

}  // namespace xpose
