#include "cache/decision.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <iterator>
#include <limits>
#include <map>

#include "problem/normal_form.hpp"

namespace xpose {

std::string key_anywhere(Problem normal) {
  normal.device.ordinal = 0;
  return key(normal);
}

CacheKey key_of(const Problem& normal, const DeviceInfo& device, const std::string& plugins,
                unsigned threads, bool warm) {
  CacheKey key;
  key.device = device.name + ", cc " + std::to_string(device.compute_capability) + ", " +
               std::to_string(device.multiprocessors) + " processors";
  key.driver = device.driver;
  key.abi = abi_version();
  key.plugins = plugins;
  key.problem = key_anywhere(normal);
  key.policy = warm ? "measure warm" : "measure cold";
  if (device.device.kind == DeviceKind::host) key.policy += ", threads=" + std::to_string(threads);
  return key;
}

namespace {

// One of a strategy's candidates, or null.
const Candidate* candidate_named(const std::vector<Candidate>& candidates,
                                 const std::string& strategy) {
  const auto found = std::ranges::find(
      candidates, strategy, [](const Candidate& candidate) { return candidate.variant.strategy; });
  return found == candidates.end() ? nullptr : &*found;
}

// The trials of strategies that were not tried again, and fewer rivals without a trial.
void keep_earlier(Decision& decision, const Decision& earlier, const TuneReport& report) {
  const auto has = [](const auto& trials, const std::string& strategy) {
    return std::ranges::any_of(
        trials, [&](const auto& trial) { return trial.variant.strategy == strategy; });
  };
  for (const CachedTrial& trial : earlier.trials)
    if (!has(report.trials, trial.variant.strategy)) decision.trials.push_back(trial);
  decision.untried = std::ranges::count_if(
      report.untried_rivals, [&](const std::string& rival) { return !has(earlier.trials, rival); });
  decision.improvements = earlier.improvements + 1;
}

}  // namespace

Decision decision_of(const CacheKey& key, const TuneReport& report,
                     const std::vector<Candidate>& candidates, const Decision* earlier) {
  const auto digest_of_strategy = [&](const std::string& name) {
    const Candidate* found = candidate_named(candidates, name);
    return found == nullptr ? std::string() : found->strategy->digest;
  };
  Decision decision;
  decision.key = key;
  decision.winner = report.trials.at(*report.winner).variant;
  decision.digest = digest_of_strategy(decision.winner.strategy);
  decision.margin = report.margin;
  if (report.roof) decision.roof_seconds = report.trials.at(*report.roof).timing->median;
  decision.when = std::time(nullptr);
  if (report.stand_in) decision.stand_in = key_anywhere(*report.stand_in);
  for (const Trial& trial : report.trials) {
    CachedTrial row;
    row.digest = digest_of_strategy(trial.variant.strategy);
    row.variant = trial.variant;
    row.role = trial.role;
    row.verdict = trial.verdict;
    row.detail = trial.detail;
    if (trial.timing) {
      row.seconds = trial.timing->median;
      row.spread = trial.timing->spread;
      row.samples = trial.timing->samples;
    }
    if (trial.predicted_share > 0) row.predicted = 1 / trial.predicted_share;
    decision.trials.push_back(std::move(row));
  }
  decision.untried = std::ssize(report.untried_rivals);
  if (earlier != nullptr) keep_earlier(decision, *earlier, report);
  return decision;
}

std::vector<Prediction> predictions_of(const CacheKey& key, const TuneReport& report,
                                       const std::vector<Candidate>& candidates) {
  if (!report.roof) return {};
  const double roof = report.trials.at(*report.roof).timing->median;
  std::map<std::string, const Trial*> best;   // of each strategy: the fastest of those said to be
  for (const Trial& trial : report.trials) {  // the fastest first
    if (trial.role != Role::transpose || !trial.timing || trial.predicted_share == 0) continue;
    const auto [known, is_new] = best.try_emplace(trial.variant.strategy, &trial);
    if (!is_new && trial.predicted_share > known->second->predicted_share) known->second = &trial;
  }
  std::vector<Prediction> predictions;
  double cost_model_error = std::numeric_limits<double>::infinity();
  for (const auto& [strategy, trial] : best) {
    const Candidate* candidate = candidate_named(candidates, strategy);
    if (candidate == nullptr) continue;
    const double measured = trial->timing->median / roof;
    const double error = measured * trial->predicted_share;
    if (candidate->trust.is_shipped) cost_model_error = std::min(cost_model_error, error);
    predictions.push_back({candidate->strategy->digest, strategy, key.problem, key.policy,
                           1 / trial->predicted_share, measured, error, std::time(nullptr)});
  }
  if (std::isfinite(cost_model_error) && cost_model_error > 1)
    for (Prediction& prediction : predictions) prediction.error /= cost_model_error;
  return predictions;
}

}  // namespace xpose
