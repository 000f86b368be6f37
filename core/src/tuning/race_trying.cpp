#include <algorithm>
#include <utility>

#include "tuning/race.hpp"

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
  const Runner* best = fastest(candidate.is_numeric);
  return best != nullptr && is_beyond(runners_[first->second], hopeless_ratio * best->median());
}

// Whether one launch would end beyond the budget, by its prediction and what a copy takes.
bool Race::is_too_long(const Candidate& candidate) {
  if (candidate.is_copy || candidate.is_favourite || fastest(false) == nullptr) return false;
  if (options_.whole || !options_.strategies.empty()) return false;
  const Runner* copy = fastest(true);
  const double copies =
      candidate.predicted == not_predicted ? far_behind_ratio : candidate.predicted;
  const double launch = copy == nullptr ? 0 : worse_than_predicted * copies * copy->judged();
  return clock_() - asked_ + launch > options_.budget_seconds;
}

bool Race::record(Runner& runner, const Outcome& outcome) {
  if (outcome.verdict != Verdict::ok || !outcome.detail.empty())
    runner.trial.detail = outcome.detail;
  if (outcome.verdict == Verdict::ok) return true;
  runner.trial.verdict = outcome.verdict;
  runner.racing = false;
  return false;
}

void Race::expect(const Runner& runner) {
  if (runner.is_reference()) return;
  const std::string& strategy = runner.candidate->variant.strategy;
  const Runner* roof = fastest(true);
  if (runner.racing && roof != nullptr)
    expectations_.measured(strategy, runner.judged() / roof->judged());
  else if (!first_right_.contains(strategy))
    expectations_.failed(strategy);
}

void Race::try_one(const Candidate& candidate, std::size_t total) {
  ++done_;
  Runner runner;
  runner.candidate = &candidate;
  runner.trial = {candidate.variant,   candidate.launch, candidate.is_copy, Verdict::ok, "", {},
                  candidate.prior_rank};
  runner.trial.is_numeric = candidate.is_numeric;
  if (candidate.predicted != not_predicted) runner.trial.predicted_share = 1 / candidate.predicted;
  runner.trial.discount = candidate.trust.discount.value_or(0);
  if (candidate.outcome.verdict != Verdict::ok) {
    record(runner, candidate.outcome);
  } else if (interrupted() || is_hopeless(candidate) || is_too_long(candidate) ||
             ((is_far_behind(candidate) || tried_long()) && may_skip(candidate))) {
    untried_.push_back(&candidate);
    return;
  } else {
    tried_.insert(candidate.variant.strategy);
    if (record(runner, trials_.verify(candidate))) {
      const Sample sample = trials_.time(candidate);
      if (record(runner, sample.outcome)) {
        runner.keep(sample.seconds);
        runner.racing = true;
        first_right_.emplace(candidate.variant.strategy, runners_.size());
      }
    }
    expect(runner);
  }
  runners_.push_back(std::move(runner));
  progress("verify", done_, total, &runners_.back().trial);
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
  const Runner* best = fastest(false);
  std::map<std::string, FirstConfig> firsts;
  for (const auto& [strategy, index] : first_right_) {
    Runner& runner = runners_[index];
    if (best != nullptr && !runner.is_reference())
      is_beyond(runner, drop_ratio * best->median());  // not by one sample
    firsts[strategy] = {runner.judged(), runner.candidate->predicted};
  }
  return firsts;
}

// Where one sample says so, and the prediction does not, another one is taken.
bool Race::is_beyond(Runner& runner, double limit) {
  if (runner.judged() > limit && may_ask_again(runner)) {
    runner.asked_again = true;
    const double begin = clock_();
    const Sample sample = trials_.time(*runner.candidate);
    asking_again_.at(runner.candidate->is_copy ? 1 : 0) += clock_() - begin;
    if (record(runner, sample.outcome) && sample.seconds < runner.seconds[0])
      runner.seconds[0] = runner.rounds[0] = sample.seconds;
  }
  return runner.judged() > limit;
}

bool Race::may_ask_again(const Runner& runner) {
  if (runner.asked_again || runner.candidate->is_numeric || runner.seconds.size() != 1)
    return false;
  if (expectations_.is_behind(*runner.candidate, drop_ratio)) return false;
  const double spent = asking_again_.at(runner.candidate->is_copy ? 1 : 0);
  return spent + runner.seconds[0] <= share_of_asking_again * options_.budget_seconds &&
         !raced_long() && !interrupted();
}

}  // namespace xpose
