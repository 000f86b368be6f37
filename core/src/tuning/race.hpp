// Which candidates to try, how long, and which to keep. Pure logic: trials and time come from
// outside, so that it is tested with told trials and a fake clock.
#pragma once

#include <functional>
#include <span>

#include "trial/trial_runner.hpp"

namespace xpose {

// Seconds from any fixed point; monotonic.
using Clock = std::function<double()>;

// Has the buffers made, then verifies candidates once and takes one sample of each: one config of
// every strategy, in the order given, before a second one of any; then others, those first whose
// strategy was fastest. Left out are
//   - other configs of a strategy whose first right one took over 3 times the fastest so far
//   (copies: the fastest copy);
//   - what is believed to take over twice the best that is expected, once one transpose is right.
//   What was measured of a strategy counts in place of what was predicted.
// Favourites are always tried, and with `every_strategy` one config of each: of what is believed so
// far behind until 85 % of the budget are spent, the making of the buffers included, and of what
// only claims its predictions as long as trying may take, unless either is asked for by name. What
// would end beyond the budget by one launch, as its prediction and the fastest copy tell, is not
// tried once one transpose is right, unless it is a favourite or the caller asked for it or for the
// whole problem.
//
// Then races the fast ones in interleaved rounds of rotated order:
//   - a round in which the fastest copy took over 1.2 times its median is discarded: the clock
//   dropped;
//   - a transpose over 1.5 times the fastest one's median is dropped; of one or two samples the
//   smaller one counts;
//   - from the fifth round on, one whose paired log-ratio to the fastest is above 2 % by two
//     standard errors is dropped;
//   - the race ends when all survivors are within 2 %, or rounds or the budget run out, also by
//   another round as long as the last; where the budget does, what is over 1.1 times the fastest
//   one's median is dropped, copies among copies;
//   - what is still in the race, copies included, is verified once more;
//   - numeric transposes are raced with the copies, and neither are chosen;
//   - within 2 % of the fastest, what came with the library wins, then the lower prior rank.
// Who would lose by one sample, which something else on the machine may have disturbed, and is not
// believed to take over 1.5 times the best that is expected, gets a second one, as far as 10 % of
// the budget go, and copies as far as another 10 %; the smaller one counts. Trying may take 60 % of
// the budget, so that what is right still races, and the race lasts until 85 % of it are spent, the
// making of the buffers included. Until one transpose is right the budget cuts nothing; what was
// not tried is counted in TuneReport::untried, and strategies that were not tried at all are named.
// Fills all of the report but `problem`. Throws what TrialRunner::prepare() does.
TuneReport race(std::span<const Candidate> candidates, std::uint64_t bytes, TrialRunner& trials,
                const Clock& clock, const TuneOptions& options);

}  // namespace xpose
