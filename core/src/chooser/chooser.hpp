// Chooses a variant for a problem: what was measured before, or is measured now.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

#include "chooser/choices.hpp"
#include "process/device_lock.hpp"
#include "registry/registry.hpp"
#include "tables/tables.hpp"
#include "threads/forkable_mutex.hpp"
#include "trial/trial_runner.hpp"
#include "tuning/trial_subject.hpp"

namespace xpose {

// A runner of the trials of one problem, which asks the worker. The catalog outlives it.
using MakeRunner = std::function<std::unique_ptr<TrialRunner>(
    Worker& worker, const Catalog& offered, const Problem& normal, bool warm)>;

// The grounds of a choice.
struct Sources {
  Registry& registry;
  Cache& cache;
  Tables& tables;
  // In place of the policies of plans. With `estimate` nothing that was measured here counts.
  std::optional<Policy> imposed = {};
};

// [any thread] One measures at a time: two would measure each other. Nobody else waits for that.
class Chooser {
 public:
  // `threads`: of host strategies.
  Chooser(const Sources& sources, MakeRunner make_runner, const EngineOptions& options,
          unsigned threads);

  // As Engine's functions. The reference stays valid as long as the registry.
  const std::vector<PluginInfo>& plugins();
  TuneReport tune(const Problem& normal, const TuneOptions& options);
  Choice choose(const Problem& normal, const PlanOptions& options);

  // As Registry::named(), for a device that need not be here.
  Registry::Named named(const Problem& normal, const DeviceInfo& device, const Variant& variant);

 private:
  // A worker, and what is asked of it. [one thread at a time, under the mutex]
  struct Desk {
    Desk(const EngineOptions& options, Cache& cache);
    ForkableMutex mutex;
    Worker worker;
    Admission admission;
  };
  // The end of a race: its report, and the candidate of its winner.
  using Race = std::pair<TuneReport, std::optional<Candidate>>;
  enum class Which { all, untried };  // strategies: those that a provisional decision left out

  void warn(const std::string& text) const;
  void require_offered(std::span<const Variant> variants,
                       const std::optional<Device>& chosen_on = {});
  std::unique_ptr<const DeviceLock> lock(const Problem& normal, const TuneOptions& options,
                                         double seconds) const;
  CacheKey key_for(const Problem& normal, const TuneOptions& options, const Catalog& offered) const;
  Evidence evidence(const Catalog& offered, const Problem& normal, const TuneOptions& options);
  std::vector<Variant> of_tables(const Catalog& offered, const Problem& normal,
                                 const TuneOptions& options);
  // The problem of the trials, with so many bytes free, or as many as the device should have.
  TrialSubject subject_of(const Problem& normal, const TuneOptions& options,
                          std::optional<std::uint64_t> free_bytes = {}) const;

  // Of a tune that ended before its first trial.
  static TuneReport interrupted_report(const Problem& normal);

  // All of these: [the desk's mutex held]; throw Refusal where a plugin's file has changed.
  std::optional<Choice> recall(Desk& desk, const Problem& normal, const TuneOptions& options);
  Candidate bind(Desk& desk, const Candidate& candidate, const Problem& normal);
  Candidate estimate(Desk& desk, const Problem& normal, const TuneOptions& options);
  Race estimate_instead(Desk& desk, const Problem& normal, const std::string& why,
                        const TuneOptions& options);
  Race measure(Desk& desk, const Problem& normal, const TuneOptions& options, Which which);
  Race try_on(Desk& desk, const Problem& normal, const TrialSubject& subject,
              const TuneOptions& options, Which which);
  // Of `tried`, and unsupported where they do not serve `normal` as well.
  std::vector<Candidate> candidates_of_both(Desk& desk, const Catalog& offered,
                                            const Problem& normal, const Problem& tried,
                                            TrialRunner& trials, const TuneOptions& options,
                                            const Evidence& known);
  Choice verified(const Catalog& offered, const Decision& decision, const Problem& normal,
                  const TuneOptions& options);

  // Runs the work, again from the start where it throws Refusal.
  template <class Work>
  auto retried(Desk& desk, const Work& work);

  // Whether what was measured here counts.
  bool recalls() const { return imposed_ != Policy::estimate; }
  std::optional<Choice> found(const Problem& normal, const PlanOptions& options, bool or_estimate);
  std::optional<Choice> improved_elsewhere(const Problem& normal, const TuneOptions& options);
  std::optional<Choice> measured(const Problem& normal, const PlanOptions& options, Which which);
  std::optional<CacheKey> imported(const Problem& normal, const TuneOptions& options);
  std::optional<Choice> confirmed(const Problem& normal, const TuneOptions& options);
  std::optional<Choice> confirmed_in_turn(const Problem& normal, const TuneOptions& options);
  Choice improved(const Choice& standing, const Problem& normal, const PlanOptions& options);

  Registry& registry_;
  Cache& cache_;
  Tables& tables_;
  const std::optional<Policy> imposed_;
  MakeRunner make_runner_;
  Warn warn_;
  mutable std::atomic<bool> told_of_lock_folder_ = false;
  unsigned threads_;
  Choices choices_;
  Desk measuring_;  // that one problem at a time is tried with
  Desk asking_;     // of all others: they do not wait for what is tried
};

template <class Work>
auto Chooser::retried(Desk& desk, const Work& work) {
  for (int turn = 0; turn < 3; ++turn) try {
      return work();
    } catch (const Refusal&) {
      desk.worker.end();
      registry_.rescan();
      choices_.forget_all();
    }
  throw Error(ErrorKind::failed,
              "plugin files change faster than they can be tried; wait until they are installed");
}

}  // namespace xpose
