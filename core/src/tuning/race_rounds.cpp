#include <algorithm>
#include <cmath>

#include "tuning/race_report.hpp"
#include "tuning/race_stages.hpp"
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
    const Contestant* best = fastest(references);
    for (Contestant& contestant : contestants_)
      if (contestant.racing && contestant.is_reference() == references &&
          contestant.median() > ratio * best->median())
        contestant.racing = false;
  }
}

void Race::drop_slow() {
  for (const bool references : {true, false}) {
    const Contestant* best = fastest(references);
    if (best == nullptr) continue;
    const double limit = drop_ratio * best->median();
    const bool race = !references && report_.rounds >= rounds_before_race;
    for (Contestant& contestant : contestants_) {
      if (!contestant.racing || contestant.is_reference() != references || &contestant == best)
        continue;
      if (is_beyond(contestant, limit)) contestant.racing = false;
      if (!race) continue;
      const LogRatio ratio = log_ratio(contestant.seconds, best->seconds);
      if (ratio.mean - 2 * ratio.error > std::log1p(close_enough)) contestant.racing = false;
    }
  }
}

bool Race::settled() {
  const Contestant* best = fastest(false);
  if (best == nullptr) return true;
  if (report_.rounds < rounds_before_race) return false;
  return std::ranges::all_of(contestants_, [&](const Contestant& contestant) {
    if (!contestant.racing || contestant.is_reference() || &contestant == best) return true;
    const LogRatio ratio = log_ratio(contestant.seconds, best->seconds);
    return ratio.mean + 2 * ratio.error < std::log1p(close_enough);
  });
}

void Race::one_round(int turn) {
  std::vector<Contestant*> order;
  for (Contestant& contestant : contestants_)
    if (contestant.racing) order.push_back(&contestant);
  if (order.empty()) return;
  std::rotate(order.begin(), order.begin() + turn % static_cast<std::ptrdiff_t>(order.size()),
              order.end());
  Contestant* copy = fastest(true);
  const double usual = copy == nullptr ? 0 : copy->median();
  for (Contestant* contestant : order) {
    const Sample sample = trials_.time(*contestant->candidate);
    if (record(*contestant, sample.outcome)) contestant->keep(sample.seconds);
  }
  if (copy != nullptr && copy->racing && copy->seconds.back() > clock_drop_ratio * usual &&
      report_.discarded_rounds < options_.max_rounds) {
    for (Contestant* contestant : order)
      if (contestant->racing) contestant->discard_last();
    ++report_.discarded_rounds;
    return;
  }
  ++report_.rounds;
}

bool Race::is_first_round_too_long() const {
  double seconds = clock_() - asked_;
  for (const Contestant& contestant : contestants_)
    if (contestant.racing) seconds += contestant.judged();
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

}  // namespace xpose
