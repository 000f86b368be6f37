// Chooses a variant for a problem: what was measured before, or is measured now.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <unordered_map>

#include "device/device_lock.hpp"
#include "plugin/catalog.hpp"
#include "trial/trial_runner.hpp"

namespace xpose {

// A candidate whose strategy is loaded into this process.
struct Choice {
  Candidate winner;
  bool is_estimate = false;  // no trial on the problem chose it
};

// [any thread] One measures at a time: two would measure each other.
class Chooser {
 public:
  explicit Chooser(const EngineOptions& options);

  // As Engine's functions. The reference stays valid as long as the chooser.
  const std::vector<PluginInfo>& plugins();
  TuneReport tune(const Problem& normal, const TuneOptions& options);
  Choice choose(const Problem& normal, const PlanOptions& options);

  // One strategy's variant, with the author's values where `config` leaves an axis out, loaded into
  // this process, for a device that need not be here. Throws Error as explain() does.
  struct Named {
    Candidate candidate;
    std::filesystem::path plugin;
  };
  Named named(const Problem& normal, const DeviceInfo& device, const std::string& strategy,
              const Config& config);

  unsigned threads() const { return threads_; }  // for host strategies

 private:
  Catalog& catalog() const { return *catalogs_.back(); }
  const Catalog& described();
  void accuse_unfinished();
  void warn(const std::string& text) const;

  // All of these: [measuring_ held]; throw Refusal where a plugin's file has changed.
  Choice choose_once(const Problem& normal, const PlanOptions& options);
  std::optional<Candidate> recall(const Problem& normal, const TuneOptions& options);
  std::pair<TuneReport, std::optional<Candidate>> measure(const Problem& normal,
                                                          const TuneOptions& options);
  Candidate estimate(const Problem& normal, const TuneOptions& options);
  const PluginLibrary& load(const std::filesystem::path& file, const std::string& digest);
  const Strategy& loaded(const std::string& digest, const std::string& strategy);
  Named named_once(const Problem& normal, const DeviceInfo& device, const std::string& strategy,
                   const Config& config);
  Candidate bind(const Candidate& candidate, const Problem& normal);
  std::unique_ptr<TrialRunner> runner(const Problem& normal, const TuneOptions& options);
  DeviceLock lock(const Problem& normal, const TuneOptions& options) const;
  template <class Work>
  auto retried(const Work& work);

  std::optional<Choice> known(const std::string& name, bool or_estimate = false);
  void keep(const std::string& name, const Choice& choice);

  EngineOptions options_;
  std::vector<std::filesystem::path> folders_;
  unsigned threads_;
  Cache cache_;
  std::mutex measuring_;  // guards the four that follow
  Worker worker_;
  Admission admission_;
  std::vector<std::unique_ptr<Catalog>> catalogs_;  // the last counts; plugins() gave out others
  Unloadable unloadable_;
  std::shared_mutex winners_mutex_;
  std::unordered_map<std::string, Choice> winners_;
};

}  // namespace xpose
