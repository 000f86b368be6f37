#include "chooser/chooser.hpp"

#include <utility>

#include "device/device.hpp"
#include "trial/in_process_runner.hpp"
#include "worker/worker_runner.hpp"

namespace xpose {
namespace {

constexpr double longest_wait_seconds = 600;  // for another process that measures

}  // namespace

Chooser::Chooser(const EngineOptions& options)
    : options_(options),
      folders_(options.plugin_folders.empty() ? default_plugin_folders() : options.plugin_folders),
      threads_(options.threads != 0 ? options.threads : backend(Device{}).info().multiprocessors),
      cache_(!options.remember       ? std::filesystem::path{}
             : options.cache.empty() ? default_cache_file()
                                     : options.cache,
             options.remember ? system_cache_file() : std::filesystem::path{}, options.warn),
      measuring_(options, cache_),
      asking_(options, cache_) {
  add(scanned(options.in_process ? Shipped::ignored : Shipped::believed));
  accuse_unfinished();
}

Chooser::Desk::Desk(const EngineOptions& options, Cache& cache)
    : worker(options.worker.empty() ? default_worker() : options.worker, options.stage_seconds),
      admission(worker, cache, options.warn, options.in_process) {}

void Chooser::warn(const std::string& text) const {
  if (options_.warn) options_.warn(one_line(text));
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

const Catalog& Chooser::catalog() {
  const std::lock_guard lock(catalogs_mutex_);
  return *catalogs_.back();
}

const Catalog& Chooser::add(Catalog catalog) {
  const std::lock_guard lock(catalogs_mutex_);
  return *catalogs_.emplace_back(std::make_unique<Catalog>(std::move(catalog)));
}

Catalog Chooser::scanned(Shipped shipped) {
  const auto unloadable = [&] {
    const std::lock_guard lock(catalogs_mutex_);
    return unloadable_;
  };
  return scan(folders_, cache_, unloadable(), shipped);
}

// Who measures, or lists what there is, has asked a worker; an estimate does with what is shipped.
const Catalog& Chooser::described(Desk& desk, Shipped shipped) {
  const Catalog& found = catalog();
  const bool anew = shipped == Shipped::ignored && !found.shipped.empty();
  if (found.is_described && !anew) return found;
  Catalog filled = anew ? scanned(shipped) : found;
  describe(filled, desk.admission);
  return add(std::move(filled));
}

const std::vector<PluginInfo>& Chooser::plugins() {
  const std::lock_guard lock(asking_.mutex);
  return described(asking_).plugins;
}

// A plugin's file was exchanged meanwhile, or cannot be loaded here.
void Chooser::rescan(Desk& desk) {
  desk.worker.end();
  add(scanned(Shipped::ignored));
  const std::unique_lock lock(winners_mutex_);
  winners_.clear();
}

std::unique_ptr<TrialRunner> Chooser::runner(Desk& desk, const Catalog& offered,
                                             const Problem& normal, const TuneOptions& options) {
  Backend& device = backend(normal.device);
  if (options_.in_process)
    return std::make_unique<InProcessRunner>(device, normal, threads_, options.warm);
  return std::make_unique<WorkerRunner>(WorkerRunner::Needs{
      desk.worker, cache_, device.info(), normal, threads_, options.warm,
      [&offered](const std::string& digest) { return offered.find(digest)->file; }, options_.warn});
}

TuneReport Chooser::tune(const Problem& normal, const TuneOptions& options) {
  if (const TrialSubject subject = subject_of(normal, options); !subject.problem) {
    const std::lock_guard lock(asking_.mutex);  // an estimate waits for nobody who measures
    return retried(asking_, [&] { return estimate_instead(asking_, normal, subject.why, options); })
        .first;
  }
  const std::lock_guard lock(measuring_.mutex);
  const auto held = this->lock(normal, options, longest_wait_seconds);
  TuneReport report =
      retried(measuring_, [&] { return measure(measuring_, normal, options, Which::all); }).first;
  forget(normal, options);  // the next plan() finds what was stored
  return report;
}

Chooser::Named Chooser::named(const Problem& normal, const DeviceInfo& device,
                              const std::string& strategy, const Config& config) {
  const std::lock_guard lock(asking_.mutex);
  return retried(asking_, [&] { return named_once(asking_, normal, device, strategy, config); });
}

}  // namespace xpose
