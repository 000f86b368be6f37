#include <algorithm>
#include <utility>

#include "tuning/race_stages.hpp"

namespace xpose {

// The making of buffers takes its time from the rounds first, and then from trying.
bool Race::is_trying_spent() const {
  return clock_() - prepared_ >= policy_.trying_share * options_.budget_seconds ||
         elapsed() >= policy_.last_try_share * options_.budget_seconds;
}

// Whether a reason suffices to leave a candidate out. `every_strategy` asks for one config of each,
// but the caller agreed to no wait for a certain loser or for a mere claim. A name insists.
bool Race::may_skip(const Candidate& candidate) {
  if (candidate.is_favourite || fastest(false) == nullptr) return false;
  if (!options_.every_strategy || tried_.contains(candidate.variant.strategy)) return true;
  return options_.variants.empty() &&
         (!candidate.trust.discount || (is_far_behind(candidate) && is_racing_spent()));
}

// Whether the first config of the strategy was so slow that no other is worth its time. A copy is
// never hopeless: the roof could be among its configs.
bool Race::confirm_hopeless(const Candidate& candidate) {
  if (candidate.role == Role::copy) return false;
  const auto first = first_right_.find(candidate.variant.strategy);
  if (first == first_right_.end()) return false;
  const Contestant* best = fastest(candidate.role == Role::numeric);
  return best != nullptr &&
         confirm_beyond(contestants_[first->second], policy_.hopeless_ratio * best->median());
}

// Whether one launch could end beyond the budget, by its prediction and the fastest copy. A launch
// cannot be interrupted.
bool Race::may_exceed_budget(const Candidate& candidate) {
  if (candidate.role == Role::copy || candidate.is_favourite || fastest(false) == nullptr)
    return false;
  if (options_.whole || !options_.variants.empty()) return false;
  const Contestant* copy = fastest(true);
  const double copies =
      candidate.predicted == kNotPredicted ? policy_.far_behind_ratio : candidate.predicted;
  const double launch =
      copy == nullptr ? 0 : policy_.underestimate_ratio * copies * judged_seconds(*copy);
  return elapsed() + launch > options_.budget_seconds;
}

bool Race::is_left_out(const Candidate& candidate) {
  return interrupted() || confirm_hopeless(candidate) || may_exceed_budget(candidate) ||
         ((is_far_behind(candidate) || is_trying_spent()) && may_skip(candidate));
}

bool Race::record(Contestant& contestant, const Outcome& outcome) {
  if (outcome.verdict != Verdict::ok || !outcome.detail.empty())
    contestant.trial.detail = outcome.detail;
  if (outcome.verdict == Verdict::ok) return true;
  contestant.trial.verdict = outcome.verdict;
  contestant.racing = false;
  return false;
}

void Race::update_expectations(const Contestant& contestant) {
  if (contestant.is_reference()) return;
  const std::string& strategy = contestant.candidate->variant.strategy;
  const Contestant* roof = fastest(true);
  if (contestant.racing && roof != nullptr)
    expectations_.record_time(strategy, judged_seconds(contestant) / judged_seconds(*roof));
  else if (!first_right_.contains(strategy))
    expectations_.record_failure(strategy);
}

Sample Race::timed(Contestant& contestant) {
  const double begin = clock_();
  Sample sample = trials_.time(*contestant.candidate);
  contestant.cost = clock_() - begin;
  return sample;
}

void Race::verify_and_time(Contestant& contestant) {
  if (!record(contestant, trials_.verify(*contestant.candidate))) return;
  const Sample sample = timed(contestant);
  if (!record(contestant, sample.outcome)) return;
  contestant.keep(sample.seconds);
  contestant.racing = true;
}

void Race::try_one(const Candidate& candidate, std::size_t total) {
  ++done_;
  Contestant contestant(candidate);
  if (candidate.outcome.verdict != Verdict::ok) {
    record(contestant, candidate.outcome);
  } else if (is_left_out(candidate)) {
    untried_.push_back(&candidate);
    return;
  } else {
    tried_.insert(candidate.variant.strategy);
    verify_and_time(contestant);
    if (contestant.racing) first_right_.emplace(candidate.variant.strategy, contestants_.size());
    update_expectations(contestant);
  }
  contestants_.push_back(std::move(contestant));
  progress("verify", done_, total, &contestants_.back().trial);
}

// One config of each strategy comes before a second one of any.
void Race::try_all(std::span<const Candidate> candidates) {
  expectations_ = Expectations(candidates, policy_.held_ratio);
  std::set<std::string> met;
  std::vector<const Candidate*> others;
  for (const Candidate& candidate : candidates)
    if (met.insert(candidate.variant.strategy).second)
      try_one(candidate, candidates.size());
    else
      others.push_back(&candidate);
  if (others.empty()) return;
  sort_by_first_config(others, judge_first_configs(), policy_.near_ratio);
  for (const Candidate* candidate : others) try_one(*candidate, candidates.size());
}

// Slow ones get their second sample first: the order of many configs should not rest on one launch.
std::map<std::string, FirstConfig> Race::judge_first_configs() {
  const Contestant* best = fastest(false);
  std::map<std::string, FirstConfig> firsts;
  for (const auto& [strategy, index] : first_right_) {
    Contestant& contestant = contestants_[index];
    if (best != nullptr && !contestant.is_reference())
      confirm_beyond(contestant, policy_.drop_ratio * best->median());
    firsts[strategy] = {judged_seconds(contestant), contestant.candidate->predicted};
  }
  return firsts;
}

// Whether the contestant takes longer than `limit` seconds. A single sample that says so is
// confirmed by another one, unless the prediction says so as well.
bool Race::confirm_beyond(Contestant& contestant, double limit) {
  if (judged_seconds(contestant) > limit && may_time_again(contestant)) time_again(contestant);
  return judged_seconds(contestant) > limit;
}

bool Race::may_time_again(const Contestant& contestant) {
  if (contestant.has_second_sample || contestant.candidate->role == Role::numeric ||
      contestant.seconds.size() != 1)
    return false;
  if (expectations_.is_behind(*contestant.candidate, policy_.drop_ratio)) return false;
  return second_sample_seconds(contestant) + contestant.seconds[0] <=
             policy_.second_sample_share * options_.budget_seconds &&
         !is_racing_spent() && !interrupted();
}

void Race::time_again(Contestant& contestant) {
  contestant.has_second_sample = true;
  const Sample sample = timed(contestant);
  second_sample_seconds(contestant) += contestant.cost;
  if (record(contestant, sample.outcome) && sample.seconds < contestant.seconds[0])
    contestant.seconds[0] = contestant.rounds[0] = sample.seconds;
}

}  // namespace xpose
