// The chooser's strategies as they are loaded into this process.
#include <algorithm>

#include "chooser/chooser.hpp"
#include "device/device.hpp"
#include "worker/worker_runner.hpp"

namespace xpose {

const PluginLibrary& Chooser::load(Desk& desk, const std::filesystem::path& file,
                                   const std::string& digest) {
  try {
    return desk.admission.load(file, digest);
  } catch (const Refusal& refusal) {
    {
      const std::lock_guard lock(catalogs_mutex_);
      unloadable_[digest] = refusal.why;
    }
    warn(file.filename().string() + " cannot be loaded here: it " + refusal.why);
    throw;
  }
}

// A strategy in this process. Throws Error failed where the plugin no longer offers it.
const Strategy& Chooser::loaded(Desk& desk, const std::string& digest,
                                const std::string& strategy) {
  const PluginInfo* plugin = catalog().find(digest);
  if (plugin == nullptr) throw Refusal{"was changed on disk; start anew"};  // another thread saw it
  const PluginLibrary& library = load(desk, plugin->file, digest);
  const auto found = std::ranges::find(library.strategies, strategy,
                                       [](const Strategy& one) { return one.info.name; });
  if (found == library.strategies.end())
    throw Error(ErrorKind::failed, library.info.file.string() + " does not offer " + strategy +
                                       " here, but did in the worker");
  return *found;
}

// The candidate of the plugin as it is loaded into this process. Throws Error failed where the
// plugin no longer says what it said.
Candidate Chooser::bind(Desk& desk, const Candidate& candidate, const Problem& normal) {
  const Strategy& strategy = loaded(desk, candidate.strategy->digest, candidate.variant.strategy);
  Candidate bound =
      candidate_of(strategy, candidate.values,
                   quote(strategy, candidate.values, normal, backend(normal.device).info()));
  if (bound.outcome.verdict != Verdict::ok)
    throw Error(
        bound.outcome.verdict == Verdict::no_memory ? ErrorKind::no_memory : ErrorKind::failed,
        to_string(bound.variant) +
            " was accepted by its quote before, and is not now: " + bound.outcome.detail);
  return bound;
}

Chooser::Named Chooser::named_once(Desk& desk, const Problem& normal, const DeviceInfo& device,
                                   const std::string& strategy, const Config& config) {
  const Catalog& catalog = described(desk);
  const auto& offered = catalog.strategies;
  const auto found = std::ranges::find(
      offered, strategy, [](const Strategy* one) -> const std::string& { return one->info.name; });
  if (found == offered.end())
    throw Error(ErrorKind::no_strategy,
                "no loaded plugin offers a strategy '" + strategy + "', see `xpose plugins`");
  const StrategyInfo& info = (*found)->info;
  if (info.device_kind != normal.device.kind)
    throw Error(ErrorKind::invalid, strategy + " does not run on " + to_string(normal.device));
  const Values values = values_of(info, filled(info, config));
  const std::string digest = (*found)->digest;
  if (const auto out = cache_.find_quarantine(digest, strategy))
    throw Error(ErrorKind::no_strategy, xpose::describe(*out));
  const Strategy& here = loaded(desk, digest, strategy);
  Candidate candidate = candidate_of(here, values, quote(here, values, normal, device));
  if (candidate.outcome.verdict != Verdict::ok)
    throw Error(ErrorKind::no_strategy, to_string(candidate.variant) + " declines " +
                                            to_string(normal) + ": " + candidate.outcome.detail);
  return {std::move(candidate), catalog.find(digest)->file};
}

}  // namespace xpose
