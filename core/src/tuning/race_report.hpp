// What is said of a race that is over. Pure logic.
#pragma once

#include <vector>

#include "tuning/contestant.hpp"

namespace xpose {

inline constexpr double close_enough = 0.02;  // above 1, of a ratio of times that counts as equal

// Fills the trials, the winner, its runner-up and margin, and the roof, from who is still in the
// race; trials and rounds move out of the contestants. [one thread at a time]
void report_race(std::vector<Contestant>& contestants, TuneReport& report);

}  // namespace xpose
