#include "trial/tuner.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "trial/race_report.hpp"
#include "trial/race_runner.hpp"
#include "trial/sample_statistics.hpp"

namespace xpose {
namespace {

constexpr double drop_ratio = 1.5;
constexpr double clock_drop_ratio = 1.2;
constexpr int rounds_before_race = 5;
constexpr double hopeless_ratio = 3;           // of a strategy's first config to the fastest so far
constexpr double share_of_trying = 0.6;        // of the budget
constexpr double share_of_racing = 0.85;       // when the race ends; the rest verifies who is left
constexpr double share_of_asking_again = 0.1;  // of strategies, and as much of copies
constexpr double too_late_ratio = 1.1;         // to the fastest, when the budget ends the race

class Race {
 public:
  Race(TrialRunner& trials, const Clock& clock, const TuneOptions& options)
      : trials_(trials), clock_(clock), options_(options), asked_(clock()) {}

  void prepare() {
    trials_.prepare();
    start_ = clock_();
  }
  void try_all(std::span<const Candidate> candidates);
  void run_rounds();
  void verify_again();
  TuneReport report(std::uint64_t bytes);

 private:
  bool interrupted() {
    if (!report_.interrupted && options_.interrupted) report_.interrupted = options_.interrupted();
    return report_.interrupted;
  }
  // What prepares the buffers takes its time from the race, but not from trying.
  bool tried_long() const { return clock_() - start_ >= share_of_trying * options_.budget_seconds; }
  bool raced_long(double and_then = 0) const {
    return clock_() - asked_ + and_then >= share_of_racing * options_.budget_seconds;
  }
  void progress(std::string_view stage, std::size_t done, std::size_t total, const Trial* trial) {
    if (options_.progress) options_.progress({stage, done, total, trial});
  }
  // Whether a candidate may be left out, where there is a reason to.
  bool may_skip(const Candidate& candidate) {
    if (!options_.every_strategy) return fastest(false) != nullptr;
    return tried_.contains(candidate.variant.strategy) || may_skip_strategy(candidate);
  }
  // Nobody waits longer than agreed for what is known to lose, unless it was asked for by name.
  bool may_skip_strategy(const Candidate& candidate) {
    return is_predicted_far_behind(candidate) && options_.strategies.empty() && raced_long() &&
           fastest(false) != nullptr;
  }
  // Whether the first config of its strategy was so slow that no other is worth its time. A copy
  // never is: what is left out could be the roof.
  bool is_hopeless(const Candidate& candidate) {
    if (candidate.is_copy) return false;
    const auto first = first_right_.find(candidate.variant.strategy);
    if (first == first_right_.end()) return false;
    const Runner* best = fastest(candidate.is_numeric);
    return best != nullptr && is_beyond(runners_[first->second], hopeless_ratio * best->median());
  }
  bool is_predicted_far_behind(const Candidate& candidate) const {
    return candidate.predicted != not_predicted &&
           candidate.predicted > far_behind_ratio * best_prediction_;
  }
  bool is_beyond(Runner& runner, double limit);
  bool may_ask_again(const Runner& runner);
  bool record(Runner& runner, const Outcome& outcome);
  void one_round(int turn);
  void drop_slow();
  void drop_beyond(double ratio);
  bool settled();
  Runner* fastest(bool references) { return fastest_of(runners_, references); }

  TrialRunner& trials_;
  const Clock& clock_;
  const TuneOptions& options_;
  double asked_;      // when all of this began
  double start_ = 0;  // when the buffers were there
  double best_prediction_ = not_predicted;
  std::vector<Runner> runners_;
  std::array<double, 2> asking_again_{};  // seconds that went into it: strategies, copies
  double round_seconds_ = 0;              // that the last one took
  std::vector<const Candidate*> untried_;
  std::set<std::string> tried_;                     // strategies
  std::map<std::string, std::size_t> first_right_;  // runner of each strategy's first right config
  TuneReport report_;
};

bool Race::record(Runner& runner, const Outcome& outcome) {
  if (outcome.verdict != Verdict::ok || !outcome.detail.empty())
    runner.trial.detail = outcome.detail;
  if (outcome.verdict == Verdict::ok) return true;
  runner.trial.verdict = outcome.verdict;
  runner.racing = false;
  return false;
}

void Race::try_all(std::span<const Candidate> candidates) {
  for (const Candidate& candidate : candidates)
    best_prediction_ = std::min(best_prediction_, candidate.predicted);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Candidate& candidate = candidates[i];
    Runner runner;
    runner.candidate = &candidate;
    runner.trial = {candidate.variant,   candidate.launch, candidate.is_copy, Verdict::ok, "", {},
                    candidate.prior_rank};
    runner.trial.is_numeric = candidate.is_numeric;
    if (candidate.outcome.verdict != Verdict::ok) {
      record(runner, candidate.outcome);
    } else if (interrupted() || is_hopeless(candidate) ||
               ((is_predicted_far_behind(candidate) || tried_long()) && may_skip(candidate))) {
      untried_.push_back(&candidate);
      continue;
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
    }
    runners_.push_back(std::move(runner));
    progress("verify", i + 1, candidates.size(), &runners_.back().trial);
  }
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
  const double predicted = runner.candidate->predicted;
  if (predicted != not_predicted && predicted > drop_ratio * best_prediction_) return false;
  const double spent = asking_again_.at(runner.candidate->is_copy ? 1 : 0);
  return spent + runner.seconds[0] <= share_of_asking_again * options_.budget_seconds &&
         !raced_long() && !interrupted();
}

void Race::drop_beyond(double ratio) {
  for (const bool references : {true, false}) {
    const Runner* best = fastest(references);
    for (Runner& runner : runners_)
      if (runner.racing && runner.is_reference() == references &&
          runner.median() > ratio * best->median())
        runner.racing = false;
  }
}

void Race::drop_slow() {
  for (const bool references : {true, false}) {
    const Runner* best = fastest(references);
    if (best == nullptr) continue;
    const double limit = drop_ratio * best->median();
    const bool race = !references && report_.rounds >= rounds_before_race;
    for (Runner& runner : runners_) {
      if (!runner.racing || runner.is_reference() != references || &runner == best) continue;
      if (is_beyond(runner, limit)) runner.racing = false;
      if (!race) continue;
      const LogRatio ratio = log_ratio(runner.seconds, best->seconds);
      if (ratio.mean - 2 * ratio.error > std::log1p(close_enough)) runner.racing = false;
    }
  }
}

bool Race::settled() {
  const Runner* best = fastest(false);
  if (best == nullptr) return true;
  if (report_.rounds < rounds_before_race) return false;
  return std::ranges::all_of(runners_, [&](const Runner& runner) {
    if (!runner.racing || runner.is_reference() || &runner == best) return true;
    const LogRatio ratio = log_ratio(runner.seconds, best->seconds);
    return ratio.mean + 2 * ratio.error < std::log1p(close_enough);
  });
}

void Race::one_round(int turn) {
  std::vector<Runner*> order;
  for (Runner& runner : runners_)
    if (runner.racing) order.push_back(&runner);
  if (order.empty()) return;
  std::rotate(order.begin(), order.begin() + turn % static_cast<std::ptrdiff_t>(order.size()),
              order.end());
  Runner* copy = fastest(true);
  const double usual = copy == nullptr ? 0 : copy->median();
  for (Runner* runner : order) {
    const Sample sample = trials_.time(*runner->candidate);
    if (record(*runner, sample.outcome)) runner->keep(sample.seconds);
  }
  if (copy != nullptr && copy->racing && copy->seconds.back() > clock_drop_ratio * usual &&
      report_.discarded_rounds < options_.max_rounds) {
    for (Runner* runner : order)
      if (runner->racing) runner->discard_last();
    ++report_.discarded_rounds;
    return;
  }
  ++report_.rounds;
}

void Race::run_rounds() {
  report_.rounds = 1;
  for (int turn = 1;; ++turn) {
    drop_slow();
    if (settled() || report_.rounds >= options_.max_rounds || interrupted()) return;
    if (raced_long(round_seconds_)) return drop_beyond(too_late_ratio);
    const double begin = clock_();
    one_round(turn);
    round_seconds_ = clock_() - begin;
    progress("measure", static_cast<std::size_t>(report_.rounds),
             static_cast<std::size_t>(options_.max_rounds), nullptr);
  }
}

void Race::verify_again() {
  const auto verify = [&] {
    for (Runner& runner : runners_)
      if (runner.racing) record(runner, trials_.verify(*runner.candidate));
  };
  verify();
  if (fastest(false) != nullptr) return;
  // All that raced to the end turned out wrong: what they had left behind is back in.
  for (Runner& runner : runners_)
    runner.racing = runner.trial.verdict == Verdict::ok && !runner.seconds.empty();
  verify();
}

TuneReport Race::report(std::uint64_t bytes) {
  report_.bytes = bytes;
  report_race(runners_, report_);
  report_.untried = untried_.size();
  for (const Candidate* candidate : untried_)
    if (tried_.insert(candidate->variant.strategy).second)
      report_.untried_strategies.push_back(candidate->variant.strategy);
  report_.seconds = clock_() - asked_;
  return std::move(report_);
}

}  // namespace

TuneReport race(std::span<const Candidate> candidates, std::uint64_t bytes, TrialRunner& runner,
                const Clock& clock, const TuneOptions& options) {
  Race race(runner, clock, options);
  race.prepare();
  race.try_all(candidates);
  race.run_rounds();
  race.verify_again();
  return race.report(bytes);
}

}  // namespace xpose
