#include "tuning/expectations.hpp"

#include <algorithm>
#include <limits>

namespace xpose {

Expectations::Expectations(std::span<const Candidate> candidates, double held_ratio) {
  for (const Candidate& candidate : candidates) {
    if (candidate.role != Role::transpose) continue;
    const auto known = best_.try_emplace(candidate.variant.strategy, kNotPredicted).first;
    known->second = std::min(known->second, candidate.believed());
    if (candidate.trust.is_shipped)
      at_most_[candidate.variant.strategy] = held_ratio * known->second;
  }
}

void Expectations::record_time(const std::string& strategy, double time) {
  // No prediction is faster than the roof either: a miracle makes no other far behind.
  time = std::max(time, 1.0);
  if (const auto most = at_most_.find(strategy); most != at_most_.end())
    time = std::min(time, most->second);
  double& best = best_[strategy];
  best = measured_.insert(strategy).second ? time : std::min(best, time);
}

bool Expectations::is_behind(const Candidate& candidate, double ratio) const {
  if (candidate.believed() == kNotPredicted) return false;
  double best = kNotPredicted;
  for (const auto& [strategy, time] : best_) best = std::min(best, time);
  return candidate.believed() > ratio * best;
}

void sort_by_first_config(std::vector<const Candidate*>& others,
                          const std::map<std::string, FirstConfig>& firsts, double near_ratio) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  const auto expected = [&](const Candidate* candidate) {
    if (candidate->role == Role::copy) return -1.0;
    const auto first = firsts.find(candidate->variant.strategy);
    if (first == firsts.end()) return kNever;
    const double slower =
        candidate->predicted == kNotPredicted ? 1 : candidate->predicted / first->second.predicted;
    return first->second.seconds * std::max(1.0, slower);
  };
  double best = kNever;
  for (const Candidate* candidate : others)
    if (candidate->role != Role::copy) best = std::min(best, expected(candidate));
  std::ranges::stable_sort(others, {}, [&](const Candidate* candidate) {
    const double seconds = expected(candidate);
    return candidate->role == Role::copy || seconds > near_ratio * best ? seconds : 0;
  });
}

}  // namespace xpose
