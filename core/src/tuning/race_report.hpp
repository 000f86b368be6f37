// The report of a race that is over. Pure logic.
#pragma once

#include <span>
#include <vector>

#include "tuning/contestant.hpp"

namespace xpose {

// The transpose in the race that wins; or null. Those within `tie_excess` (RacePolicy) of the
// fastest are tied: a shipped strategy wins, then the estimate, then the lower prior rank, then the
// earlier candidate. [one thread at a time]
Contestant* winner_of(std::span<Contestant> contestants, double tie_excess);

// Fills the trials, the winner, its runner-up and margin, the estimate and the roof, from the
// contestants that are still in the race. Moves trials and rounds out of
// the contestants. [one thread at a time]
void report_race(std::vector<Contestant>& contestants, double tie_excess, TuneReport& report);

}  // namespace xpose
