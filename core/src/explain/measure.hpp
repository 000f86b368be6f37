// The figures of a device's counters and clock for one candidate.
#pragma once

#include <string>
#include <variant>

#include "chooser/chooser.hpp"
#include "xpose/explain.hpp"

namespace xpose {

// [a device is there] Counts one launch of the candidate on the problem's device, after timing it
// against the fastest copy in a worker as a trial does. An experiment is timed alone, and has no
// roof. Else one line that says why not and what to do. Throws Error where the strategy itself
// fails.
std::variant<HardwareAccount, std::string> measure(Chooser& chooser, const Candidate& candidate,
                                                   const Problem& normal);

}  // namespace xpose
