// A race decides which candidates to try, for how long, and which to keep. It is pure logic: trials
// and time come from outside, so tests tell both.
#pragma once

#include <functional>
#include <span>

#include "trial/trial_runner.hpp"
#include "tuning/race_policy.hpp"

namespace xpose {

// Seconds from any fixed point; monotonic.
using Clock = std::function<double()>;

// Has the buffers made, tries candidates, races the fast ones and verifies the finalists again.
// Fills all of the report but `problem`. Words in backquotes are fields of RacePolicy or of
// TuneOptions. Throws what TrialRunner::prepare() does.
//
// Trying verifies a candidate once and takes one sample of it. The first config of every strategy,
// in the order given, comes before a second one of any; sort_by_first_config() orders the others.
// Left out are, all but the hopeless only once one transpose is right:
//   - further configs of a hopeless strategy, whose first right one is beyond `hopeless_ratio`
//     (numeric transposes are compared with copies, and no config of a copy is hopeless);
//   - candidates beyond `far_behind_ratio` by what is believed of them, where a strategy's measured
//     time replaces its predictions;
//   - all others once `trying_share` is spent, or `last_try_share` with the time to make buffers;
//   - a launch that could end beyond the budget by itself, which `whole` or `variants` permits.
// Favourites are tried even so, hopeless ones excepted. With `every_strategy` so is the first
// config of each strategy, with two exceptions unless `variants` asks for it: a candidate far
// behind once `racing_share` is spent, and a strategy whose predictions are mere claims. The report
// counts the candidates that were left out and names the strategies that were not tried at all.
//
// Rounds time all that race, in an order that rotates, so that drift of the machine meets all
// alike.
//   - A round is discarded where the fastest copy exceeds `clock_drop_ratio`.
//   - Contestants beyond `drop_ratio` leave the race, copies by the fastest copy.
//   - Where the time does not last for `samples_for_median` rounds, only the fastest race on.
//   - From `rounds_to_compare` on, transposes leave it that are certainly no tie with the fastest.
//   - The race ends when all that are left are tied, when rounds run out, or when another round, by
//     what each took last, would exceed `racing_share`. Then only finalists stay
//     (`finalist_ratio`).
//   - No two rounds in a row are discarded.
//   - Numeric transposes race with the copies. Neither is ever chosen.
// The fastest of many is flattered by its samples. So the winner and the estimate, where they are
// two, meet in up to `final_rounds` rounds of their own, beside the fastest copy. These samples
// alone count for the three, if there are `samples_for_median` of them. The race leaves time for as
// many, and the others come back where the winner turns out wrong.
// Where a single sample would drop a contestant or leave out its other configs, a second one is
// taken and the smaller counts, as far as `second_sample_share` lasts. A contestant that is beyond
// `drop_ratio` by its prediction as well gets none.
//
// Finalists are verified once more, copies included. report_race() chooses among those that are
// right.
TuneReport race(std::span<const Candidate> candidates, std::uint64_t bytes, TrialRunner& trials,
                const Clock& clock, const TuneOptions& options, const RacePolicy& policy = {});

}  // namespace xpose
