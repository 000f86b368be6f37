#include <algorithm>
#include <utility>

#include "tuning/race_stages.hpp"

namespace xpose {
namespace {

constexpr double hopeless_ratio = 3;           // of a strategy's first config to the fastest so far
constexpr double share_of_trying = 0.6;        // of the budget
constexpr double share_of_asking_again = 0.1;  // of strategies, and as much of copies
// Loops that walk across many lines were predicted to take 9 to 16 copies, and took 22 to 36.
constexpr double worse_than_predicted = 2.5;

}  // namespace

// What prepares the buffers takes its time from the race, but not from trying.
bool Race::tried_long() const {
  return clock_() - start_ >= share_of_trying * options_.budget_seconds;
}

// Whether a candidate may be left out, where there is a reason to. With `every_strategy` nobody
// waits longer than agreed for what is known to lose, nor for a claim, unless it was asked for by
// name.
bool Race::may_skip(const Candidate& candidate) {
  if (candidate.is_favourite || fastest(false) == nullptr) return false;
  if (!options_.every_strategy || tried_.contains(candidate.variant.strategy)) return true;
  return options_.strategies.empty() &&
         (!candidate.trust.discount || (is_far_behind(candidate) && raced_long()));
}

// Whether the first config of its strategy was so slow that no other is worth its time. A copy
// never is: what is left out could be the roof.
bool Race::is_hopeless(const Candidate& candidate) {
  if (candidate.is_copy) return false;
  const auto first = first_right_.find(candidate.variant.strategy);
  if (first == first_right_.end()) return false;
  const Contestant* best = fastest(candidate.is_numeric);
  return best != nullptr && is_beyond(contestants_[first->second], hopeless_ratio * best->median());
}

// Whether one launch would end beyond the budget, by its prediction and what a copy takes.
bool Race::is_too_long(const Candidate& candidate) {
  if (candidate.is_copy || candidate.is_favourite || fastest(false) == nullptr) return false;
  if (options_.whole || !options_.strategies.empty()) return false;
  const Contestant* copy = fastest(true);
  const double copies =
      candidate.predicted == not_predicted ? far_behind_ratio : candidate.predicted;
  const double launch = copy == nullptr ? 0 : worse_than_predicted * copies * copy->judged();
  return clock_() - asked_ + launch > options_.budget_seconds;
}

bool Race::record(Contestant& contestant, const Outcome& outcome) {
  if (outcome.verdict != Verdict::ok || !outcome.detail.empty())
    contestant.trial.detail = outcome.detail;
  if (outcome.verdict == Verdict::ok) return true;
  contestant.trial.verdict = outcome.verdict;
  contestant.racing = false;
  return false;
}

void Race::expect(const Contestant& contestant) {
  if (contestant.is_reference()) return;
  const std::string& strategy = contestant.candidate->variant.strategy;
  const Contestant* roof = fastest(true);
  if (contestant.racing && roof != nullptr)
    expectations_.measured(strategy, contestant.judged() / roof->judged());
  else if (!first_right_.contains(strategy))
    expectations_.failed(strategy);
}

void Race::try_one(const Candidate& candidate, std::size_t total) {
  ++done_;
  Contestant contestant;
  contestant.candidate = &candidate;
  contestant.trial = {candidate.variant,   candidate.launch, candidate.is_copy, Verdict::ok, "", {},
                      candidate.prior_rank};
  contestant.trial.is_numeric = candidate.is_numeric;
  if (candidate.predicted != not_predicted)
    contestant.trial.predicted_share = 1 / candidate.predicted;
  contestant.trial.discount = candidate.trust.discount.value_or(0);
  if (candidate.outcome.verdict != Verdict::ok) {
    record(contestant, candidate.outcome);
  } else if (interrupted() || is_hopeless(candidate) || is_too_long(candidate) ||
             ((is_far_behind(candidate) || tried_long()) && may_skip(candidate))) {
    untried_.push_back(&candidate);
    return;
  } else {
    tried_.insert(candidate.variant.strategy);
    if (record(contestant, trials_.verify(candidate))) {
      const Sample sample = trials_.time(candidate);
      if (record(contestant, sample.outcome)) {
        contestant.keep(sample.seconds);
        contestant.racing = true;
        first_right_.emplace(candidate.variant.strategy, contestants_.size());
      }
    }
    expect(contestant);
  }
  contestants_.push_back(std::move(contestant));
  progress("verify", done_, total, &contestants_.back().trial);
}

// One config of each strategy before a second one of any.
void Race::try_all(std::span<const Candidate> candidates) {
  expectations_ = Expectations(candidates);
  std::set<std::string> met;
  std::vector<const Candidate*> others;
  for (const Candidate& candidate : candidates)
    if (met.insert(candidate.variant.strategy).second)
      try_one(candidate, candidates.size());
    else
      others.push_back(&candidate);
  if (others.empty()) return;
  sort_by_first_config(others, first_configs());
  for (const Candidate* candidate : others) try_one(*candidate, candidates.size());
}

std::map<std::string, FirstConfig> Race::first_configs() {
  const Contestant* best = fastest(false);
  std::map<std::string, FirstConfig> firsts;
  for (const auto& [strategy, index] : first_right_) {
    Contestant& contestant = contestants_[index];
    if (best != nullptr && !contestant.is_reference())
      is_beyond(contestant, drop_ratio * best->median());  // not by one sample
    firsts[strategy] = {contestant.judged(), contestant.candidate->predicted};
  }
  return firsts;
}

// Where one sample says so, and the prediction does not, another one is taken.
bool Race::is_beyond(Contestant& contestant, double limit) {
  if (contestant.judged() > limit && may_ask_again(contestant)) {
    contestant.asked_again = true;
    const double begin = clock_();
    const Sample sample = trials_.time(*contestant.candidate);
    asking_again_.at(contestant.candidate->is_copy ? 1 : 0) += clock_() - begin;
    if (record(contestant, sample.outcome) && sample.seconds < contestant.seconds[0])
      contestant.seconds[0] = contestant.rounds[0] = sample.seconds;
  }
  return contestant.judged() > limit;
}

bool Race::may_ask_again(const Contestant& contestant) {
  if (contestant.asked_again || contestant.candidate->is_numeric || contestant.seconds.size() != 1)
    return false;
  if (expectations_.is_behind(*contestant.candidate, drop_ratio)) return false;
  const double spent = asking_again_.at(contestant.candidate->is_copy ? 1 : 0);
  return spent + contestant.seconds[0] <= share_of_asking_again * options_.budget_seconds &&
         !raced_long() && !interrupted();
}

}  // namespace xpose
