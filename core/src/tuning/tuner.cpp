#include "tuning/tuner.hpp"

#include <algorithm>
#include <cmath>

#include "tuning/race.hpp"
#include "tuning/race_report.hpp"
#include "tuning/sample_statistics.hpp"

namespace xpose {
namespace {

constexpr double clock_drop_ratio = 1.2;
constexpr int rounds_before_race = 5;
constexpr double share_of_racing = 0.85;  // of the budget: the rest verifies who is left
constexpr double too_late_ratio = 1.1;    // to the fastest, when the budget ends the race

}  // namespace

bool Race::raced_long(double and_then) const {
  return clock_() - asked_ + and_then >= share_of_racing * options_.budget_seconds;
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

bool Race::is_first_round_too_long() const {
  double seconds = clock_() - asked_;
  for (const Runner& runner : runners_)
    if (runner.racing) seconds += runner.judged();
  return seconds > options_.budget_seconds;
}

void Race::run_rounds() {
  report_.rounds = 1;
  for (int turn = 1;; ++turn) {
    drop_slow();
    if (settled() || report_.rounds >= options_.max_rounds || interrupted()) return;
    if (raced_long(round_seconds_) || (turn == 1 && is_first_round_too_long()))
      return drop_beyond(too_late_ratio);
    const double begin = clock_();
    one_round(turn);
    round_seconds_ = clock_() - begin;
    progress("measure", static_cast<std::size_t>(report_.rounds),
             static_cast<std::size_t>(options_.max_rounds), nullptr);
  }
}

// The fastest whatever the time, of transposes and of references; the others while the budget
// lasts, or they are out of the race.
void Race::verify_again() {
  std::set<const Runner*> verified;
  const auto verify_one = [&](Runner& runner) {
    if (verified.insert(&runner).second) record(runner, trials_.verify(*runner.candidate));
  };
  const auto verify = [&] {
    for (const bool references : {true, false})
      for (Runner* best = fastest(references); best != nullptr && !verified.contains(best);
           best = fastest(references))
        verify_one(*best);
    for (Runner& runner : runners_) {
      if (!runner.racing || verified.contains(&runner)) continue;
      if (clock_() - asked_ < options_.budget_seconds)
        verify_one(runner);
      else
        runner.racing = false;
    }
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
    if (tried_.insert(candidate->variant.strategy).second) {
      report_.untried_strategies.push_back(candidate->variant.strategy);
      if (!is_far_behind(*candidate) && !candidate->is_copy && !candidate->is_numeric)
        report_.untried_rivals.push_back(candidate->variant.strategy);
    }
  report_.seconds = clock_() - asked_;
  return std::move(report_);
}

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
