#include "tuning/race_report.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace xpose {

void report_race(std::vector<Runner>& runners, TuneReport& report) {
  const Runner* best = fastest_of(runners, false);
  // Within 2 % of the fastest, what came with the library wins, then the lower prior rank, then the
  // earlier candidate.
  const auto rank = [](const Runner& runner) {
    return std::pair(!runner.candidate->trust.is_shipped, runner.trial.prior_rank);
  };
  const Runner* winner = best;
  for (const Runner& runner : runners)
    if (runner.racing && !runner.is_reference() &&
        log_ratio(runner.seconds, best->seconds).mean <= std::log1p(close_enough) &&
        rank(runner) < rank(*winner))
      winner = &runner;
  const Variant won = winner == nullptr ? Variant{} : winner->trial.variant;
  for (Runner& runner : runners) {
    if (runner.trial.verdict == Verdict::ok && !runner.seconds.empty()) {
      const double median = runner.median();
      runner.trial.timing = {
          median, (quantile(runner.seconds, 0.75) - quantile(runner.seconds, 0.25)) / median,
          static_cast<int>(runner.seconds.size())};
      runner.trial.rounds = std::move(runner.rounds);
    }
    report.trials.push_back(std::move(runner.trial));
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
