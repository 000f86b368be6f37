#include "cache/decision.hpp"

#include <algorithm>
#include <ctime>

#include "problem/normal_form.hpp"

namespace xpose {

CacheKey key_of(const Problem& normal, const DeviceInfo& device, const std::string& plugins,
                unsigned threads, bool warm) {
  Problem anywhere = normal;
  anywhere.device.ordinal = 0;  // devices of one class share their choices
  CacheKey key;
  key.device = device.name + ", cc " + std::to_string(device.compute_capability) + ", " +
               std::to_string(device.multiprocessors) + " processors";
  key.driver = device.driver;
  key.abi = abi_version();
  key.plugins = plugins;
  key.problem = xpose::key(anywhere);
  key.policy = warm ? "measure warm" : "measure cold";
  if (device.device.kind == DeviceKind::host) key.policy += ", threads=" + std::to_string(threads);
  return key;
}

Decision decision_of(const CacheKey& key, const TuneReport& report,
                     const std::vector<Candidate>& candidates) {
  const auto digest_of_strategy = [&](const std::string& name) {
    const auto found = std::ranges::find(
        candidates, name, [](const Candidate& candidate) { return candidate.variant.strategy; });
    return found == candidates.end() ? std::string() : found->strategy->digest;
  };
  Decision decision;
  decision.key = key;
  decision.winner = report.trials.at(*report.winner).variant;
  decision.digest = digest_of_strategy(decision.winner.strategy);
  decision.margin = report.margin;
  if (report.roof) decision.roof_seconds = report.trials.at(*report.roof).timing->median;
  decision.when = std::time(nullptr);
  for (const Trial& trial : report.trials) {
    CachedTrial row;
    row.digest = digest_of_strategy(trial.variant.strategy);
    row.variant = trial.variant;
    row.is_copy = trial.is_copy;
    row.verdict = trial.verdict;
    row.detail = trial.detail;
    if (trial.timing) {
      row.seconds = trial.timing->median;
      row.spread = trial.timing->spread;
      row.samples = trial.timing->samples;
    }
    decision.trials.push_back(std::move(row));
  }
  return decision;
}

}  // namespace xpose
