// Which plugins exist here, and what they offer.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "registry/catalog.hpp"
#include "strategy/candidates.hpp"

namespace xpose {

// The plugins of an engine: found in folders, described by a worker, and loaded into this process
// where one of their strategies is chosen. Catalogs are kept for good, so that whoever holds one
// may go on with it. Functions that take an admission throw Refusal where a plugin's file has
// changed since the catalog was made. [any thread, each with an admission of its own]
class Registry {
 public:
  // Scans the folders, without running anything. A strategy whose trial was in flight when the
  // machine went down is put in quarantine.
  Registry(std::vector<std::filesystem::path> folders, Cache& cache, Warn warn, Shipped shipped);

  // The newest one, described or not.
  const Catalog& catalog();

  // The newest one, described. Shipped descriptions are enough for an estimate; with `ignored` a
  // worker was asked for everything.
  const Catalog& described(Admission& admission, Shipped shipped = Shipped::ignored);

  // Scans the folders again: a file was exchanged, or cannot be loaded here.
  void rescan();

  // Built with the library and installed with it, or the same content elsewhere.
  bool is_shipped(const Catalog& catalog, const std::string& digest);

  // The strategy and config of a remembered choice, which may be chosen here.
  struct Offered {
    Strategy strategy;  // not loaded here
    Values values;
  };
  // Throws Error no_strategy where the variant may not be used on the device, with the reason.
  Offered offered(Admission& admission, const Catalog& catalog, const std::string& digest,
                  const Variant& variant, const Device& device);

  // The candidate of the plugin as it is loaded into this process. Throws Error failed or no_memory
  // where the plugin no longer says what it said.
  Candidate bind(Admission& admission, const Candidate& candidate, const Problem& normal,
                 const DeviceInfo& device);

  // Throws Error no_strategy for a strategy that no plugin offers, invalid for an experiment, and
  // for an axis or a value that the strategy does not have. [chosen_on: the device of a plan, where
  // Error no_strategy says that none of the strategies may be chosen; none: they are only tried]
  void require_offered(Admission& admission, std::span<const Variant> variants,
                       const std::optional<Device>& chosen_on = {});

  // A variant, loaded into this process, with the author's values on the axes that it leaves out.
  // Throws Error no_strategy where no plugin offers the strategy, it is in quarantine, or it
  // declines; invalid for an axis or a value that it does not have, and for another kind of device.
  struct Named {
    Candidate candidate;
    std::filesystem::path plugin;
  };
  Named named(Admission& admission, const Problem& normal, const DeviceInfo& device,
              const Variant& variant);

 private:
  void accuse_unfinished();
  const Catalog& add(Catalog catalog);
  Catalog scanned(Shipped shipped);
  PluginInfo described_file(Admission& admission, const Catalog& catalog, const PluginInfo& plugin);
  const Strategy& loaded(Admission& admission, const std::string& digest,
                         const std::string& strategy);
  const PluginLibrary& load(Admission& admission, const PluginInfo& plugin);
  void require_no_quarantine(const std::string& digest, const std::string& strategy);

  const std::vector<std::filesystem::path> folders_;
  Cache& cache_;
  Warn warn_;
  std::mutex mutex_;                                      // guards the three that follow
  std::vector<std::unique_ptr<const Catalog>> catalogs_;  // the last counts, all are in use
  Unloadable unloadable_;
  std::optional<std::set<std::string>> shipped_;  // digests, once they were asked for
};

}  // namespace xpose
