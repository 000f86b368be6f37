#include "registry/registry.hpp"

#include <utility>

#include "registry/shipped_plugins.hpp"
#include "worker/quarantine.hpp"

namespace xpose {
namespace {

Error unusable(const std::string& why) { return {ErrorKind::no_strategy, why}; }

}  // namespace

Registry::Registry(std::vector<std::filesystem::path> folders, Cache& cache, Warn warn,
                   Shipped shipped)
    : folders_(std::move(folders)), cache_(cache), warn_(std::move(warn)) {
  add(scanned(shipped));
  accuse_unfinished();
}

void Registry::accuse_unfinished() {
  for (const Unfinished& trial : cache_.take_unfinished()) {
    const PluginInfo* plugin = catalog().find(trial.digest);
    const Quarantine row{trial.digest,
                         trial.strategy,
                         plugin == nullptr ? "" : plugin->file.filename().string(),
                         Verdict::crashed,
                         "the machine went down during " + trial.what,
                         trial.since};
    cache_.store(row);
    if (warn_)
      warn_(one_line("strategy " + row.strategy + " is now in quarantine: " + row.words +
                     "; if another cause is known, `xpose cache forget --strategy " + row.strategy +
                     '`'));
  }
}

const Catalog& Registry::catalog() {
  const std::lock_guard lock(mutex_);
  return *catalogs_.back();
}

const Catalog& Registry::add(Catalog catalog) {
  const std::lock_guard lock(mutex_);
  return *catalogs_.emplace_back(std::make_unique<Catalog>(std::move(catalog)));
}

Catalog Registry::scanned(Shipped shipped) {
  const auto unloadable = [&] {
    const std::lock_guard lock(mutex_);
    return unloadable_;
  };
  return scan(folders_, cache_, unloadable(), shipped);
}

const Catalog& Registry::described(Admission& admission, Shipped shipped) {
  const Catalog& found = catalog();
  const bool anew = shipped == Shipped::ignored && !found.shipped.empty();
  if (found.is_described && !anew) return found;
  Catalog filled = anew ? scanned(shipped) : found;
  describe(filled, admission);
  return add(std::move(filled));
}

void Registry::rescan() { add(scanned(Shipped::ignored)); }

bool Registry::is_shipped(const Catalog& catalog, const std::string& digest) {
  const PluginInfo* plugin = catalog.find(digest);
  if (plugin != nullptr && is_shipped_file(plugin->file)) return true;
  const std::lock_guard lock(mutex_);
  if (!shipped_) shipped_ = shipped_digests(cache_);
  return shipped_->contains(digest);
}

void Registry::require_no_quarantine(const std::string& digest, const std::string& strategy) {
  if (const auto out = cache_.find_quarantine(digest, strategy))
    throw unusable(xpose::describe(*out));
}

Registry::Offered Registry::offered(Admission& admission, const Catalog& catalog,
                                    const std::string& digest, const Variant& variant,
                                    const Device& device) {
  const PluginInfo* plugin = catalog.find(digest);
  if (plugin == nullptr) throw unusable("its plugin is not installed here");
  if (!plugin->refused.empty()) throw unusable(plugin->refused);
  require_no_quarantine(digest, variant.strategy);
  const PluginInfo info = described_file(admission, catalog, *plugin);
  const StrategyInfo* const found = find_strategy(info.strategies, variant.strategy);
  if (found == nullptr)
    throw unusable(plugin->file.filename().string() + " offers no strategy " + variant.strategy);
  if (const std::string why = choice_refusal(*found, device); !why.empty()) throw unusable(why);
  Values values = values_of(*found, variant.config);
  return {{*found, digest, nullptr}, std::move(values)};
}

// The offer of a plugin's file. Throws Error where it is refused with the content that it had.
PluginInfo Registry::described_file(Admission& admission, const Catalog& catalog,
                                    const PluginInfo& plugin) {
  try {
    return admission.describe(plugin.file, plugin.digest, catalog.find_shipped(plugin.digest));
  } catch (const Refusal& refusal) {
    if (PluginFile::open(plugin.file).digest() != plugin.digest) throw;
    throw unusable(plugin.file.filename().string() + ' ' + refusal.why);
  }
}

const PluginLibrary& Registry::load(Admission& admission, const PluginInfo& plugin) {
  try {
    return admission.load(plugin.file, plugin.digest);
  } catch (const Refusal& refusal) {
    {
      const std::lock_guard lock(mutex_);
      unloadable_[plugin.digest] = refusal.why;
    }
    if (warn_)
      warn_(
          one_line(plugin.file.filename().string() + " cannot be loaded here: it " + refusal.why));
    throw;
  }
}

// A strategy in this process. Throws Error failed where the plugin no longer offers it.
const Strategy& Registry::loaded(Admission& admission, const std::string& digest,
                                 const std::string& strategy) {
  const PluginInfo* plugin = catalog().find(digest);
  if (plugin == nullptr) throw Refusal{"was changed on disk; start anew"};  // another thread saw it
  const PluginLibrary& library = load(admission, *plugin);
  const Strategy* const found = find_strategy(library.strategies, strategy);
  if (found == nullptr)
    throw Error(ErrorKind::failed,
                library.info.file.string() + " offered " + strategy +
                    " in the worker, but not in this process: a plugin describes "
                    "itself the same in both");
  return *found;
}

Candidate Registry::bind(Admission& admission, const Candidate& candidate, const Problem& normal,
                         const DeviceInfo& device) {
  const Strategy& strategy =
      loaded(admission, candidate.strategy->digest, candidate.variant.strategy);
  Candidate bound =
      candidate_of(strategy, candidate.values, quote(strategy, candidate.values, normal, device));
  if (bound.outcome.verdict != Verdict::ok)
    throw Error(
        bound.outcome.verdict == Verdict::no_memory ? ErrorKind::no_memory : ErrorKind::failed,
        to_string(bound.variant) +
            " was accepted by its quote, and is declined when it is asked again: " +
            bound.outcome.detail);
  return bound;
}

void Registry::require_offered(Admission& admission, std::span<const Variant> variants,
                               const std::optional<Device>& chosen_on) {
  const auto require = [&](const Catalog& catalog) {
    bool one_may_be_chosen = false;
    std::string refusal;
    for (const Variant& variant : variants) {
      const StrategyInfo& info = catalog.strategy(variant.strategy).info;
      if (info.role == Role::experiment)
        throw Error(ErrorKind::invalid, info.name +
                                            " is an experiment, which is never tried; "
                                            "`xpose explain` shows its accesses");
      xpose::require_offered(info, variant.config);
      if (chosen_on) refusal = choice_refusal(info, *chosen_on);
      one_may_be_chosen |= refusal.empty();
    }
    if (!variants.empty() && !one_may_be_chosen)
      throw unusable(refusal + "; `xpose plugins` lists the strategies");
  };
  const Catalog& believed = described(admission, Shipped::believed);
  try {
    require(believed);
  } catch (const Error&) {
    if (believed.shipped.empty()) throw;
    require(described(admission));
  }
}

Registry::Named Registry::named(Admission& admission, const Problem& normal,
                                const DeviceInfo& device, const Variant& variant) {
  const Catalog& catalog = described(admission);
  const Strategy& described = catalog.strategy(variant.strategy);
  const StrategyInfo& info = described.info;
  if (info.device_kind != normal.device.kind)
    throw Error(ErrorKind::invalid, info.name + " does not run on " + to_string(normal.device));
  const Values values = values_of(info, filled(info, variant.config));
  require_no_quarantine(described.digest, info.name);
  const Strategy& here = loaded(admission, described.digest, info.name);
  Candidate candidate = candidate_of(here, values, quote(here, values, normal, device));
  if (candidate.outcome.verdict != Verdict::ok)
    throw unusable(to_string(candidate.variant) + " declines " + to_string(normal) + ": " +
                   candidate.outcome.detail);
  return {std::move(candidate), catalog.find(described.digest)->file};
}

}  // namespace xpose
