#include "chooser.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "cache/decision.hpp"
#include "device/device.hpp"
#include "problem/normal_form.hpp"
#include "trial/in_process_runner.hpp"
#include "trial/tuner.hpp"
#include "worker/worker_runner.hpp"

namespace xpose {
namespace {

constexpr double longest_wait_seconds = 600;  // for another process that measures

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// CUDA strategies that a machine without a device cannot try, so that a report shows them.
void list_unreachable(const Catalog& catalog, const Problem& problem, TuneReport& report) {
  const std::string reason = cuda_unavailable_reason();
  if (problem.device.kind != DeviceKind::host || reason.empty()) return;
  for (const Strategy* strategy : catalog.strategies) {
    if (strategy->info.device_kind != DeviceKind::cuda) continue;
    Trial trial;
    trial.variant.strategy = strategy->info.name;
    trial.is_copy = strategy->info.is_copy;
    trial.is_numeric = strategy->info.is_numeric;
    trial.verdict = Verdict::unsupported;
    trial.detail = reason;
    trial.prior_rank = strategy->info.prior_rank;
    report.trials.push_back(std::move(trial));
  }
}

// Nothing was left out of the choice, so that it may be kept.
bool is_whole(const TuneOptions& options) {
  return options.strategies.empty() && options.config.empty();
}

// The kind of a choice that failed: what proves most against the strategies.
ErrorKind worse(ErrorKind kind, Verdict verdict) {
  if (verdict == Verdict::no_memory)
    return kind == ErrorKind::no_strategy ? ErrorKind::no_memory : kind;
  if (verdict == Verdict::device_error) return kind == ErrorKind::wrong ? kind : ErrorKind::device;
  return ErrorKind::wrong;
}

// Why no variant was kept, from the trials themselves.
[[noreturn]] void throw_no_winner(const TuneReport& report) {
  std::string why;
  ErrorKind kind = ErrorKind::no_strategy;
  for (const Trial& trial : report.trials) {
    if (trial.is_copy || trial.is_numeric || trial.verdict == Verdict::ok) continue;
    if (trial.verdict != Verdict::unsupported) kind = worse(kind, trial.verdict);
    why += "; " + to_string(trial.variant) + ": " + std::string(to_string(trial.verdict)) +
           (trial.detail.empty() ? "" : " (" + trial.detail + ')');
  }
  if (why.empty()) why = "; no loaded plugin offers one, see `xpose plugins`";
  throw Error(kind, "no strategy can transpose " + to_string(report.problem) + why);
}

// One choice in memory.
std::string name_of(const Problem& normal, const TuneOptions& options) {
  return key(normal) + (options.warm ? " warm" : " cold");
}

}  // namespace

Chooser::Chooser(const EngineOptions& options)
    : options_(options),
      folders_(options.plugin_folders.empty() ? default_plugin_folders() : options.plugin_folders),
      threads_(options.threads != 0 ? options.threads : backend(Device{}).info().multiprocessors),
      cache_(!options.remember       ? std::filesystem::path{}
             : options.cache.empty() ? default_cache_file()
                                     : options.cache,
             options.remember ? system_cache_file() : std::filesystem::path{}, options.warn),
      worker_(options.worker.empty() ? default_worker() : options.worker, options.stage_seconds),
      admission_(worker_, cache_, options.warn, options.in_process) {
  catalogs_.push_back(std::make_unique<Catalog>(scan(folders_, cache_)));
  accuse_unfinished();
}

void Chooser::warn(const std::string& text) const {
  if (options_.warn) options_.warn(text);
}

// What a machine crash has left in flight.
void Chooser::accuse_unfinished() {
  for (const Unfinished& trial : cache_.take_unfinished()) {
    const PluginInfo* plugin = catalog().find(trial.digest);
    const Quarantine row{trial.digest,
                         trial.strategy,
                         plugin == nullptr ? "" : plugin->file.filename().string(),
                         Verdict::crashed,
                         "the machine went down during " + trial.what,
                         trial.since};
    cache_.store(row);
    warn("strategy " + row.strategy + " is now in quarantine: " + row.words +
         "; if that was not its doing, `xpose cache forget --strategy " + row.strategy + '`');
  }
}

const Catalog& Chooser::described() {
  describe(catalog(), admission_);
  return catalog();
}

const std::vector<PluginInfo>& Chooser::plugins() {
  const std::lock_guard lock(measuring_);
  return described().plugins;
}

// Again from the start where a plugin's file was exchanged meanwhile, or cannot be loaded here.
template <class Work>
auto Chooser::retried(const Work& work) {
  for (int turn = 0; turn < 3; ++turn) try {
      return work();
    } catch (const Refusal&) {
      worker_.end();
      catalogs_.push_back(std::make_unique<Catalog>(scan(folders_, cache_, unloadable_)));
      const std::unique_lock lock(winners_mutex_);
      winners_.clear();
    }
  throw Error(ErrorKind::failed,
              "plugin files change faster than they can be tried; wait until they are installed");
}

std::optional<Choice> Chooser::known(const std::string& name, bool or_estimate) {
  const std::shared_lock lock(winners_mutex_);
  const auto found = winners_.find(name);
  if (found == winners_.end() || (found->second.is_estimate && !or_estimate)) return std::nullopt;
  return found->second;
}

// What was measured stays where another thread estimates.
void Chooser::keep(const std::string& name, const Choice& choice) {
  const std::unique_lock lock(winners_mutex_);
  const auto [kept, is_new] = winners_.try_emplace(name, choice);
  if (!is_new && (kept->second.is_estimate || !choice.is_estimate)) kept->second = choice;
}

std::unique_ptr<TrialRunner> Chooser::runner(const Problem& normal, const TuneOptions& options) {
  Backend& device = backend(normal.device);
  if (options_.in_process)
    return std::make_unique<InProcessRunner>(device, normal, threads_, options.warm);
  return std::make_unique<WorkerRunner>(WorkerRunner::Needs{
      worker_, cache_, device.info(), normal, threads_, options.warm,
      [this](const std::string& digest) { return catalog().find(digest)->file; }, options_.warn});
}

// Waits for other processes that measure on the device.
DeviceLock Chooser::lock(const Problem& normal, const TuneOptions& options) const {
  bool told = false;
  return {backend(normal.device).info().id, longest_wait_seconds, [&] {
            if (!std::exchange(told, true))
              warn("another process measures on " + to_string(normal.device) + "; waiting for it");
            return !options.interrupted || !options.interrupted();
          }};
}

std::pair<TuneReport, std::optional<Candidate>> Chooser::measure(const Problem& normal,
                                                                 const TuneOptions& options) {
  const DeviceInfo& device = backend(normal.device).info();
  const Catalog& offered = described();
  const std::unique_ptr<TrialRunner> trials = runner(normal, options);
  const std::vector<Candidate> all =
      candidates(offered.strategies, normal, device, options, *trials);
  const std::uint64_t bytes =
      2 * static_cast<std::uint64_t>(element_count(normal)) * normal.element_bytes;
  TuneReport report = race(all, bytes, *trials, steady_seconds, options);
  report.problem = normal;
  std::optional<Candidate> winner;
  if (report.winner) {
    winner = *std::ranges::find(all, report.trials[*report.winner].variant, &Candidate::variant);
    if (is_whole(options) && !report.interrupted)
      cache_.store(
          decision_of(key_of(normal, device, offered.digest, threads_, options.warm), report, all));
  }
  list_unreachable(offered, normal, report);
  return {std::move(report), std::move(winner)};
}

TuneReport Chooser::tune(const Problem& normal, const TuneOptions& options) {
  const std::lock_guard lock(measuring_);
  const DeviceLock held = this->lock(normal, options);
  TuneReport report = retried([&] { return measure(normal, options); }).first;
  const std::unique_lock changing(winners_mutex_);
  winners_.erase(name_of(normal, options));  // the next plan() finds what was stored
  return report;
}

// What an earlier process found.
std::optional<Candidate> Chooser::recall(const Problem& normal, const TuneOptions& options) {
  const std::optional<Decision> decision = cache_.find(
      key_of(normal, backend(normal.device).info(), catalog().digest, threads_, options.warm));
  if (!decision) return std::nullopt;
  const PluginInfo* plugin = catalog().find(decision->digest);
  if (plugin == nullptr || !plugin->refused.empty() ||
      cache_.find_quarantine(decision->digest, decision->winner.strategy))
    return std::nullopt;
  const PluginInfo info = admission_.describe(plugin->file, plugin->digest);
  for (const StrategyInfo& strategy : info.strategies)
    if (strategy.name == decision->winner.strategy) try {
        const Strategy named{strategy, plugin->digest, nullptr};
        return bind(candidate_of(named, values_of(strategy, decision->winner.config), {}), normal);
      } catch (const Error&) {  // not a config of this plugin: measure
        return std::nullopt;
      }
  return std::nullopt;
}

Candidate Chooser::estimate(const Problem& normal, const TuneOptions& options) {
  const Catalog& offered = described();
  const std::unique_ptr<TrialRunner> quoter = runner(normal, options);
  const std::vector<Candidate> all =
      candidates(offered.strategies, normal, backend(normal.device).info(), options, *quoter);
  TuneReport report;
  report.problem = normal;
  for (const Candidate& candidate : all) {  // the most promising first
    if (candidate.is_copy || candidate.is_numeric) continue;
    if (candidate.outcome.verdict == Verdict::ok) return candidate;
    report.trials.push_back({candidate.variant,
                             "",
                             false,
                             candidate.outcome.verdict,
                             candidate.outcome.detail,
                             {},
                             candidate.prior_rank});
  }
  throw_no_winner(report);
}

Choice Chooser::choose_once(const Problem& normal, const PlanOptions& options) {
  const bool whole = is_whole(options.tune);
  const auto found = [&]() -> std::optional<Choice> {
    if (!whole) return std::nullopt;
    if (auto choice = known(name_of(normal, options.tune))) return choice;  // another thread's
    if (auto winner = recall(normal, options.tune)) return Choice{std::move(*winner)};
    return std::nullopt;
  };
  if (auto choice = found()) return *choice;
  if (options.policy == Policy::cached_only)
    throw Error(ErrorKind::no_strategy, "no measured choice is known for " + to_string(normal) +
                                            "; tune it first, or plan with another policy");
  if (options.policy == Policy::estimate)
    return {bind(estimate(normal, options.tune), normal), true};
  const DeviceLock held = lock(normal, options.tune);
  if (held.waited())  // for one who may have measured the same
    if (auto choice = found()) return *choice;
  const auto [report, winner] = measure(normal, options.tune);
  if (!winner) throw_no_winner(report);
  return {bind(*winner, normal)};
}

Choice Chooser::choose(const Problem& normal, const PlanOptions& options) {
  const std::string name = name_of(normal, options.tune);
  const bool whole = is_whole(options.tune);
  if (whole)
    if (auto choice = known(name, options.policy == Policy::estimate)) return *choice;
  const std::lock_guard lock(measuring_);
  Choice choice = retried([&] { return choose_once(normal, options); });
  if (whole) keep(name, choice);
  return choice;
}

Chooser::Named Chooser::named(const Problem& normal, const DeviceInfo& device,
                              const std::string& strategy, const Config& config) {
  const std::lock_guard lock(measuring_);
  return retried([&] { return named_once(normal, device, strategy, config); });
}

}  // namespace xpose
