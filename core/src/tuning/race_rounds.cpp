#include <algorithm>
#include <cmath>
#include <utility>

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
    const Sample sample = timed(*contestant);
    if (record(*contestant, sample.outcome)) contestant->keep(sample.seconds);
  }
  // Twice in a row it is no drop: the earlier samples of the copy flattered it.
  const bool was_slow =
      std::exchange(was_slow_, copy != nullptr && copy->racing &&
                                   copy->seconds.back() > policy_.clock_drop_ratio * usual);
  if (was_slow_ && !was_slow && report_.discarded_rounds < options_.max_rounds) {
    for (Contestant* contestant : order)
      if (contestant->racing) contestant->discard_last();
    ++report_.discarded_rounds;
    return;
  }
  ++report_.rounds;
}

// Where the budget does not last for as many rounds as a median takes, the fastest of each kind
// race on, as many as it lasts for: a choice among all would rest on single samples. Two and a
// reference are the least field that is worth it.
void Race::narrow_field() {
  const int missing = policy_.samples_for_median - report_.rounds;
  if (missing <= 0) return;
  std::vector<Contestant*> order;
  for (Contestant& contestant : contestants_)
    if (contestant.racing) order.push_back(&contestant);
  const Contestant* const best[] = {fastest(false), fastest(true)};
  std::ranges::stable_sort(order, {}, [&](const Contestant* contestant) {
    return contestant->median() / best[contestant->is_reference() ? 1 : 0]->median();
  });
  double left = policy_.racing_share * options_.budget_seconds - elapsed() - final_seconds();
  std::vector<Contestant*> outside;
  int transposes = 0, references = 0;
  for (Contestant* contestant : order) {
    const bool is_least = contestant->is_reference() ? references++ == 0 : transposes++ < 2;
    const double seconds = missing * contestant->cost;
    if (!is_least && seconds > left)
      outside.push_back(contestant);
    else
      left -= seconds;
  }
  if (left < 0) return;
  for (Contestant* contestant : outside) contestant->racing = false;
}

// Of the next round, by what each contestant took last.
double Race::round_seconds() const {
  double seconds = 0;
  for (const Contestant& contestant : contestants_)
    if (contestant.racing) seconds += contestant.cost;
  return seconds;
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
    narrow_field();
    if (is_settled() || report_.rounds >= options_.max_rounds || interrupted()) return;
    if (is_racing_spent((turn == 1 ? 0 : round_seconds()) + final_seconds()) ||
        (turn == 1 && is_first_round_too_long()))
      return drop_beyond(policy_.finalist_ratio);
    run_round(turn);
    progress("measure", static_cast<std::size_t>(report_.rounds),
             static_cast<std::size_t>(options_.max_rounds), nullptr);
  }
}

}  // namespace xpose
