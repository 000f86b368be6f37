#include "tuning/race_report.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace xpose {

void report_race(std::vector<Contestant>& contestants, TuneReport& report) {
  const Contestant* best = fastest_of(contestants, false);
  // Within 2 % of the fastest, what came with the library wins, then the lower prior rank, then the
  // earlier candidate.
  const auto rank = [](const Contestant& contestant) {
    return std::pair(!contestant.candidate->trust.is_shipped, contestant.trial.prior_rank);
  };
  const Contestant* winner = best;
  for (const Contestant& contestant : contestants)
    if (contestant.racing && !contestant.is_reference() &&
        log_ratio(contestant.seconds, best->seconds).mean <= std::log1p(close_enough) &&
        rank(contestant) < rank(*winner))
      winner = &contestant;
  const Variant won = winner == nullptr ? Variant{} : winner->trial.variant;
  for (Contestant& contestant : contestants) {
    if (contestant.trial.verdict == Verdict::ok && !contestant.seconds.empty()) {
      const double median = contestant.median();
      contestant.trial.timing = {
          median,
          (quantile(contestant.seconds, 0.75) - quantile(contestant.seconds, 0.25)) / median,
          static_cast<int>(contestant.seconds.size())};
      contestant.trial.rounds = std::move(contestant.rounds);
    }
    report.trials.push_back(std::move(contestant.trial));
  }
  std::ranges::stable_sort(report.trials, {}, [](const Trial& trial) {
    return trial.timing ? trial.timing->median : INFINITY;
  });
  for (std::size_t i = 0; i < report.trials.size(); ++i) {
    const Trial& trial = report.trials[i];
    if (!trial.timing) continue;
    if (trial.is_copy) {
      if (!report.roof) report.roof = i;
    } else if (trial.variant == won) {
      report.winner = i;
    } else if (trial.variant.strategy != won.strategy && !trial.is_numeric && !report.runner_up) {
      report.runner_up = i;
    }
  }
  if (report.winner && report.runner_up)
    report.margin = report.trials[*report.runner_up].timing->median /
                        report.trials[*report.winner].timing->median -
                    1;
}

}  // namespace xpose
