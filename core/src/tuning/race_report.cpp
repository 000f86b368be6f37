#include "tuning/race_report.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "tuning/sample_statistics.hpp"

namespace xpose {
namespace {

// The contestant's trial, with its timing where it is right and has one.
Trial take_trial(Contestant& contestant) {
  if (contestant.trial.verdict == Verdict::ok && !contestant.seconds.empty()) {
    const double median = contestant.median();
    const double quartiles =
        quantile(contestant.seconds, 0.75) - quantile(contestant.seconds, 0.25);
    contestant.trial.timing = {median, quartiles / median,
                               static_cast<int>(contestant.seconds.size())};
    contestant.trial.rounds = std::move(contestant.rounds);
  }
  return std::move(contestant.trial);
}

// The variant of a contestant; none of null.
Variant variant_of(const Contestant* contestant) {
  return contestant == nullptr ? Variant{} : contestant->trial.variant;
}

// Fills roof, winner, runner-up and estimate. Trials are in the order of their medians.
void fill_places(const Variant& won, const Variant& copied, const Variant& estimated,
                 TuneReport& report) {
  for (std::size_t i = 0; i < report.trials.size(); ++i) {
    const Trial& trial = report.trials[i];
    if (trial.variant == estimated) report.estimate = i;
    if (!trial.timing) continue;
    if (trial.role == Role::copy) {
      if (!report.roof || trial.variant == copied) report.roof = i;
    } else if (trial.variant == won) {
      report.winner = i;
    } else if (trial.variant.strategy != won.strategy && trial.role == Role::transpose &&
               !report.runner_up) {
      report.runner_up = i;
    }
  }
  if (report.winner && report.runner_up)
    report.margin = report.trials[*report.runner_up].timing->median /
                        report.trials[*report.winner].timing->median -
                    1;
}

}  // namespace

Contestant* winner_of(std::span<Contestant> contestants, double tie_excess) {
  Contestant* const best = fastest_of(contestants, false);
  const auto rank = [](const Contestant& contestant) {
    return std::tuple(!contestant.candidate->trust.is_shipped, !contestant.candidate->is_estimate,
                      contestant.trial.prior_rank);
  };
  Contestant* winner = best;
  for (Contestant& contestant : contestants)
    if (contestant.racing && !contestant.is_reference() &&
        log_ratio(contestant.seconds, best->seconds).mean <= std::log1p(tie_excess) &&
        rank(contestant) < rank(*winner))
      winner = &contestant;
  return winner;
}

void report_race(std::vector<Contestant>& contestants, double tie_excess, TuneReport& report) {
  const Variant won = variant_of(winner_of(contestants, tie_excess));
  const Variant copied = variant_of(fastest_copy_of(contestants));
  const auto estimate = std::ranges::find_if(
      contestants, [](const Contestant& contestant) { return contestant.candidate->is_estimate; });
  const Variant estimated = variant_of(estimate == contestants.end() ? nullptr : &*estimate);
  for (Contestant& contestant : contestants) report.trials.push_back(take_trial(contestant));
  std::ranges::stable_sort(report.trials, {}, [](const Trial& trial) {
    return trial.timing ? trial.timing->median : INFINITY;
  });
  fill_places(won, copied, estimated, report);
}

}  // namespace xpose
