#include "tuning/race.hpp"

#include <utility>

#include "tuning/race_report.hpp"
#include "tuning/race_stages.hpp"

namespace xpose {

TuneReport Race::report(std::uint64_t bytes) {
  report_.bytes = bytes;
  report_race(contestants_, policy_.tie_excess, report_);
  report_.untried = untried_.size();
  for (const Candidate* candidate : untried_)
    if (tried_.insert(candidate->variant.strategy).second) {
      report_.untried_strategies.push_back(candidate->variant.strategy);
      if (!is_far_behind(*candidate) && candidate->role == Role::transpose)
        report_.untried_rivals.push_back(candidate->variant.strategy);
    }
  report_.seconds = elapsed();
  return std::move(report_);
}

TuneReport race(std::span<const Candidate> candidates, std::uint64_t bytes, TrialRunner& trials,
                const Clock& clock, const TuneOptions& options, const RacePolicy& policy) {
  Race race(trials, clock, options, policy);
  race.prepare();
  race.try_all(candidates);
  race.run_rounds();
  race.run_final();
  race.verify_again();
  return race.report(bytes);
}

}  // namespace xpose
