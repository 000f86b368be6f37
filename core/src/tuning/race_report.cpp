#include "tuning/race_report.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tuning/sample_statistics.hpp"

namespace xpose {
namespace {

// The preferred one of the contestants that are tied with the fastest transpose; or null.
const Contestant* choose_winner(std::vector<Contestant>& contestants, double tie_excess) {
  const Contestant* best = fastest_of(contestants, false);
  const auto rank = [](const Contestant& contestant) {
    return std::pair(!contestant.candidate->trust.is_shipped, contestant.trial.prior_rank);
  };
  const Contestant* winner = best;
  for (const Contestant& contestant : contestants)
    if (contestant.racing && !contestant.is_reference() &&
        log_ratio(contestant.seconds, best->seconds).mean <= std::log1p(tie_excess) &&
        rank(contestant) < rank(*winner))
      winner = &contestant;
  return winner;
}

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

// Fills roof, winner, runner-up and estimate. Trials are in the order of their medians.
void fill_places(const Variant& won, const Variant& estimated, TuneReport& report) {
  for (std::size_t i = 0; i < report.trials.size(); ++i) {
    const Trial& trial = report.trials[i];
    if (trial.variant == estimated) report.estimate = i;
    if (!trial.timing) continue;
    if (trial.role == Role::copy) {
      if (!report.roof) report.roof = i;
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

void report_race(std::vector<Contestant>& contestants, double tie_excess, TuneReport& report) {
  const Contestant* winner = choose_winner(contestants, tie_excess);
  const Variant won = winner == nullptr ? Variant{} : winner->trial.variant;
  const auto estimate = std::ranges::find_if(
      contestants, [](const Contestant& contestant) { return contestant.candidate->is_estimate; });
  const Variant estimated = estimate == contestants.end() ? Variant{} : estimate->trial.variant;
  for (Contestant& contestant : contestants) report.trials.push_back(take_trial(contestant));
  std::ranges::stable_sort(report.trials, {}, [](const Trial& trial) {
    return trial.timing ? trial.timing->median : INFINITY;
  });
  fill_places(won, estimated, report);
}

}  // namespace xpose
