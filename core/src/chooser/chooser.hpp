// Chooses a variant for a problem: what was measured before, or is measured now.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <unordered_map>

#include "process/device_lock.hpp"
#include "registry/catalog.hpp"
#include "trial/trial_runner.hpp"
#include "tuning/trial_subject.hpp"

namespace xpose {

// Nothing is left out of a choice, so that it may be kept.
inline bool is_whole(const TuneOptions& options) {
  return options.strategies.empty() && options.config.empty();
}

// A candidate whose strategy is loaded into this process.
struct Choice {
  Candidate winner;
  bool is_estimate = false;     // no trial on the problem chose it
  bool is_provisional = false;  // rivals are untried, whose turn it is, once in an engine
};

// [any thread] One measures at a time: two would measure each other. Nobody else waits for that.
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
  // A worker, and what is asked of it. [one thread at a time, under the mutex]
  struct Desk {
    Desk(const EngineOptions& options, Cache& cache);
    std::timed_mutex mutex;
    Worker worker;
    Admission admission;
  };

  // The winner of a decision that this engine may use.
  struct Remembered {
    Strategy strategy;  // not loaded here
    Values values;
  };

  void accuse_unfinished();
  void warn(const std::string& text) const;
  const Catalog& catalog();
  const Catalog& add(Catalog catalog);
  Catalog scanned(Shipped shipped);

  // All of these: [the desk's mutex held]; throw Refusal where a plugin's file has changed.
  const Catalog& described(Desk& desk, Shipped shipped = Shipped::ignored);
  Remembered usable(Desk& desk, const Catalog& offered, const Decision& decision,
                    const Device& device);
  PluginInfo described_file(Desk& desk, const Catalog& offered, const PluginInfo& plugin);
  std::optional<Choice> recall(Desk& desk, const Problem& normal, const TuneOptions& options);
  enum class Which { all, untried };  // strategies: those that a provisional decision left out
  // What trials run on, with so many bytes free, or as many as the device should have.
  static TrialSubject subject_of(const Problem& normal, const TuneOptions& options,
                                 std::optional<std::uint64_t> free_bytes = {});
  std::pair<TuneReport, std::optional<Candidate>> measure(Desk& desk, const Problem& normal,
                                                          const TuneOptions& options, Which which);
  std::pair<TuneReport, std::optional<Candidate>> try_on(Desk& desk, const Problem& normal,
                                                         const TrialSubject& subject,
                                                         const TuneOptions& options, Which which);
  std::pair<TuneReport, std::optional<Candidate>> estimate_instead(Desk& desk,
                                                                   const Problem& normal,
                                                                   const std::string& why,
                                                                   const TuneOptions& options);
  // Of `tried`, and unsupported where they do not serve `normal` as well.
  std::vector<Candidate> candidates_of_both(Desk& desk, const Catalog& offered,
                                            const Problem& normal, const Problem& tried,
                                            TrialRunner& trials, const TuneOptions& options,
                                            const Evidence& known);
  Candidate estimate(Desk& desk, const Problem& normal, const TuneOptions& options);
  const PluginLibrary& load(Desk& desk, const std::filesystem::path& file,
                            const std::string& digest);
  const Strategy& loaded(Desk& desk, const std::string& digest, const std::string& strategy);
  Named named_once(Desk& desk, const Problem& normal, const DeviceInfo& device,
                   const std::string& strategy, const Config& config);
  Candidate bind(Desk& desk, const Candidate& candidate, const Problem& normal);
  std::unique_ptr<TrialRunner> runner(Desk& desk, const Catalog& offered, const Problem& normal,
                                      const TuneOptions& options);
  // Runs the work, again from the start where it throws Refusal.
  template <class Work>
  auto retried(Desk& desk, const Work& work);
  void rescan(Desk& desk);

  std::optional<Choice> found(const Problem& normal, const PlanOptions& options, bool or_estimate);
  bool is_first_to_improve(const Problem& normal, const TuneOptions& options);
  std::optional<Choice> improved_elsewhere(const Problem& normal, const TuneOptions& options);
  std::optional<Choice> measured(const Problem& normal, const PlanOptions& options, Which which);
  std::optional<CacheKey> imported(const Problem& normal, const TuneOptions& options);
  std::optional<Choice> confirmed(const Problem& normal, const TuneOptions& options);
  Choice verified(const Catalog& offered, const Decision& decision, const Problem& normal,
                  const TuneOptions& options);
  Choice improved(const Choice& standing, const Problem& normal, const PlanOptions& options);
  CacheKey key_for(const Problem& normal, const TuneOptions& options, const Catalog& offered) const;
  bool is_shipped(const Catalog& offered, const std::string& digest);
  Evidence evidence(const Catalog& offered);
  std::unique_ptr<const DeviceLock> lock(const Problem& normal, const TuneOptions& options,
                                         double seconds) const;

  std::optional<Choice> known(const Problem& normal, const TuneOptions& options, bool or_estimate);
  Choice keep(const Problem& normal, const TuneOptions& options, Choice choice);
  void forget(const Problem& normal, const TuneOptions& options);

  EngineOptions options_;
  std::vector<std::filesystem::path> folders_;
  unsigned threads_;
  Cache cache_;
  Desk measuring_;             // that one problem at a time is tried with
  Desk asking_;                // of all others: they do not wait for what is tried
  std::mutex catalogs_mutex_;  // guards the three that follow
  std::vector<std::unique_ptr<const Catalog>> catalogs_;  // the last counts, all are in use
  Unloadable unloadable_;
  std::optional<std::set<std::string>> shipped_;  // digests, once they were asked for
  std::shared_mutex winners_mutex_;
  std::unordered_map<std::string, Choice> winners_;
};

template <class Work>
auto Chooser::retried(Desk& desk, const Work& work) {
  for (int turn = 0; turn < 3; ++turn) try {
      return work();
    } catch (const Refusal&) {
      rescan(desk);
    }
  throw Error(ErrorKind::failed,
              "plugin files change faster than they can be tried; wait until they are installed");
}

}  // namespace xpose
