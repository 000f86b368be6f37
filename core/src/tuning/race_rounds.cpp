#include <algorithm>
#include <cmath>

#include "tuning/race_stages.hpp"
#include "tuning/sample_statistics.hpp"

namespace xpose {

bool Race::is_racing_spent(double next_round) const {
  return elapsed() + next_round >= policy_.racing_share * options_.budget_seconds;
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
    const double limit = policy_.drop_ratio * best->median();
    for (Contestant& contestant : contestants_)
      if (contestant.racing && contestant.is_reference() == references && &contestant != best &&
          confirm_beyond(contestant, limit))
        contestant.racing = false;
    if (!references && report_.rounds >= policy_.rounds_to_compare) drop_certain_losers(*best);
  }
}

// The ratio of a round's two times is freer of drift than either of them.
void Race::drop_certain_losers(const Contestant& best) {
  for (Contestant& contestant : contestants_) {
    if (!contestant.racing || contestant.is_reference() || &contestant == &best) continue;
    const LogRatio ratio = log_ratio(contestant.seconds, best.seconds);
    if (ratio.mean - policy_.certain_errors * ratio.error > std::log1p(policy_.tie_excess))
      contestant.racing = false;
  }
}

// Whether all that still race are tied with the fastest, for certain.
bool Race::is_settled() {
  const Contestant* best = fastest(false);
  if (best == nullptr) return true;
  if (report_.rounds < policy_.rounds_to_compare) return false;
  return std::ranges::all_of(contestants_, [&](const Contestant& contestant) {
    if (!contestant.racing || contestant.is_reference() || &contestant == best) return true;
    const LogRatio ratio = log_ratio(contestant.seconds, best->seconds);
    return ratio.mean + policy_.certain_errors * ratio.error < std::log1p(policy_.tie_excess);
  });
}

void Race::run_round(int turn) {
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
  if (copy != nullptr && copy->racing && copy->seconds.back() > policy_.clock_drop_ratio * usual &&
      report_.discarded_rounds < options_.max_rounds) {
    for (Contestant* contestant : order)
      if (contestant->racing) contestant->discard_last();
    ++report_.discarded_rounds;
    return;
  }
  ++report_.rounds;
}

bool Race::is_first_round_too_long() const {
  double seconds = elapsed();
  for (const Contestant& contestant : contestants_)
    if (contestant.racing) seconds += judged_seconds(contestant);
  return seconds > options_.budget_seconds;
}

void Race::run_rounds() {
  report_.rounds = 1;
  for (int turn = 1;; ++turn) {
    drop_slow();
    if (is_settled() || report_.rounds >= options_.max_rounds || interrupted()) return;
    if (is_racing_spent(round_seconds_) || (turn == 1 && is_first_round_too_long()))
      return drop_beyond(policy_.finalist_ratio);
    const double begin = clock_();
    run_round(turn);
    round_seconds_ = clock_() - begin;
    progress("measure", static_cast<std::size_t>(report_.rounds),
             static_cast<std::size_t>(options_.max_rounds), nullptr);
  }
}

}  // namespace xpose
