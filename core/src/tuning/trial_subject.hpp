// The problem that trials run on: the problem itself, or a smaller one in its place where time or
// memory is short. Pure logic.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tuning/race_policy.hpp"
#include "xpose/xpose.hpp"

namespace xpose {

struct TrialSubject {
  std::optional<Problem> problem;  // nothing: no trial fits
  std::string why;                 // the reason not to try the problem itself; empty where it fits
};

// Seconds that trials with buffers of so many bytes take at least: the making of the buffers and
// RacePolicy::least_tries tries. An estimate on the safe side, by the device's processors.
double least_trial_seconds(const DeviceInfo& device, std::uint64_t bytes,
                           const RacePolicy& policy = {});

// [normal form, not empty] The problem itself where least_trial_seconds() fit into the budget, and
// its buffers into RacePolicy::memory_share of the free memory. Else its stand-in, of a size at
// which RacePolicy::full_tries fit into the budget, so that a strategy far slower than a copy still
// takes a part of it only.
TrialSubject trial_subject(const Problem& normal, const DeviceInfo& device, double budget_seconds,
                           std::uint64_t free_bytes, const RacePolicy& policy = {});

}  // namespace xpose
