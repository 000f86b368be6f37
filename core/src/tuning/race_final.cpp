#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "tuning/race_report.hpp"
#include "tuning/race_stages.hpp"
#include "tuning/sample_statistics.hpp"

namespace xpose {

Contestant* Race::estimate() {
  const auto found = std::ranges::find_if(contestants_, [](const Contestant& contestant) {
    return contestant.candidate->is_estimate && contestant.trial.verdict == Verdict::ok &&
           !contestant.seconds.empty();
  });
  return found == contestants_.end() ? nullptr : &*found;
}

std::vector<Contestant*> Race::finalists() {
  Contestant* const best = winner_of(contestants_, policy_.tie_excess);
  Contestant* const guess = estimate();
  if (best == nullptr || guess == nullptr || best == guess) return {};
  std::vector<Contestant*> finalists = {best, guess};
  if (Contestant* const copy = fastest_copy_of(contestants_); copy != nullptr)
    finalists.push_back(copy);
  return finalists;
}

// Of as many rounds as a median takes.
double Race::final_seconds() {
  double round = 0;
  for (const Contestant* finalist : finalists()) round += finalist->cost;
  return policy_.samples_for_median * round;
}

// Many were in the race, so the samples of the fastest flatter it. The two that its report compares
// meet in rounds of their own, beside the fastest copy, and these alone count for them.
void Race::run_final() {
  const std::vector<Contestant*> all = finalists();
  if (all.empty() || interrupted()) return;
  if (elapsed() + final_seconds() > options_.budget_seconds) return;
  const auto rounds = static_cast<std::size_t>(report_.rounds + report_.discarded_rounds);
  for (Contestant& contestant : contestants_) {
    if (contestant.racing && std::ranges::find(all, &contestant) == all.end())
      set_aside_.push_back(&contestant);
    contestant.racing = false;
  }
  std::vector<std::size_t> before;
  for (Contestant* finalist : all) {
    finalist->racing = true;
    finalist->rounds.resize(rounds, std::numeric_limits<double>::quiet_NaN());
    before.push_back(finalist->seconds.size());
  }
  const auto fresh = [&](std::size_t i) {
    return std::span<const double>(all[i]->seconds).subspan(before[i]);
  };
  const auto is_decided = [&] {
    if (std::ssize(fresh(0)) < policy_.rounds_to_compare) return false;
    const LogRatio ratio = log_ratio(fresh(0), fresh(1));
    const double distance = std::abs(std::abs(ratio.mean) - std::log1p(policy_.tie_excess));
    return distance > policy_.certain_errors * ratio.error;
  };
  const int first = report_.rounds;
  for (int turn = 0; all[0]->racing && all[1]->racing; ++turn) {
    const int done = report_.rounds - first;
    if (done >= policy_.final_rounds || is_decided() || interrupted()) break;
    if (done >= policy_.samples_for_median && is_racing_spent(round_seconds())) break;
    run_round(turn);
    progress("measure", static_cast<std::size_t>(done + 1),
             static_cast<std::size_t>(policy_.final_rounds), nullptr);
  }
  if (report_.rounds - first < policy_.samples_for_median) return;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i]->racing)
      all[i]->seconds.erase(all[i]->seconds.begin(),
                            all[i]->seconds.begin() + static_cast<std::ptrdiff_t>(before[i]));
}

}  // namespace xpose
