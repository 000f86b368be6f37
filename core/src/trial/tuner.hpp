// Which candidates to try, how long, and which to keep. Pure logic: trials and time come from
// outside, so that it is tested with a fake runner and a fake clock.
#pragma once

#include <functional>
#include <span>

#include "trial/trial_runner.hpp"

namespace xpose {

// Seconds from any fixed point; monotonic.
using Clock = std::function<double()>;

// Verifies every candidate once and takes one sample of it, then races the fast ones in interleaved
// rounds of rotated order:
//   - a round in which the fastest copy took over 1.2 times its median is discarded: the clock
//   dropped;
//   - a transpose over 1.5 times the fastest one's median is dropped;
//   - from the fifth round on, one whose paired log-ratio to the fastest is above 2 % by two
//     standard errors is dropped;
//   - the race ends when all survivors are within 2 %, or rounds or the budget run out;
//   - numeric transposes are raced with the copies, and neither are chosen;
//   - what is still in the race, and the copies, are verified once more;
//   - within 2 % of the fastest, the lower prior rank wins.
// Until one transpose is right the budget cuts nothing; what it did cut is counted in
// TuneReport::untried. Fills all of the report but `problem`.
TuneReport race(std::span<const Candidate> candidates, std::uint64_t bytes, TrialRunner& runner,
                const Clock& clock, const TuneOptions& options);

}  // namespace xpose
