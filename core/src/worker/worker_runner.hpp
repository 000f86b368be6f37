// Trials in a worker: a bad end is tried once more, alone in a fresh one, before a plugin is
// blamed.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "cache/cache.hpp"
#include "trial/trial_runner.hpp"
#include "worker/worker.hpp"

namespace xpose {

class WorkerRunner final : public TrialRunner {
 public:
  struct Needs {
    Worker& worker;
    Cache& cache;
    DeviceInfo device;
    Problem problem;  // normal form, not empty
    unsigned threads = 1;
    bool warm = false;
    // The file of the plugin with a digest.
    std::function<std::filesystem::path(const std::string& digest)> file_of;
    Warn warn;
    bool blame = true;  // false: report the first bad end as it is, and quarantine nothing
  };
  explicit WorkerRunner(Needs needs);

  // Of plugins that are in the worker already.
  void announce(std::span<const Question> questions) override;
  // A strategy in quarantine is not asked: its answers carry what it is there for.
  std::vector<QuoteAnswer> quote(const Strategy& strategy,
                                 const std::vector<Values>& configs) override;
  void prepare() override;
  Outcome verify(const Candidate& candidate) override;
  // Blames nobody beyond its outcome.
  Outcome examine(const Candidate& candidate) override;
  Sample time(const Candidate& candidate) override;

 private:
  Request request(Request::What what, const Strategy& strategy,
                  const std::vector<Values>& configs) const;
  Outcome load(const Strategy& strategy);
  Reply quotes(const Strategy& strategy, const std::vector<Values>& configs);
  Reply attempt(Request::What what, const Candidate& candidate);
  Reply attempt_all(const Candidate& candidate);
  Reply judged(Request::What what, const Candidate& candidate);
  void blame(const Strategy& strategy, const Outcome& end);
  std::optional<Outcome> quarantined(const Strategy& strategy);
  void begin(const Candidate& candidate);

  Needs needs_;
  std::uint64_t bytes_;
  std::uint64_t prepared_in_ = 0;       // generation of the worker that has our buffers
  std::map<std::string, Reply> ahead_;  // of strategies that were announced
  std::set<std::string> timed_;         // variants whose trial has come to its first sample
  std::map<std::string, Outcome> out_;  // strategies that ended in quarantine during this run
};

}  // namespace xpose
