// The problem that trials run on: the one asked about, or a smaller one that stands in for it, by
// the time and the memory that there are. Pure logic.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "xpose/xpose.hpp"

namespace xpose {

struct TrialSubject {
  std::optional<Problem> problem;  // nothing: no trial fits
  std::string why;                 // the problem asked about is not tried; empty where it is
};

// Seconds that trials with buffers of so many bytes take at least: the buffers, whose pages may
// never have been touched, and the fewest tries that a choice is worth. An estimate on the safe
// side, by the device's processors.
double least_trial_seconds(const DeviceInfo& device, std::uint64_t bytes);

// [normal form, not empty] The problem itself where such trials fit into the budget and the free
// memory, with some room left. Else what stands in for it: of a size at which all that may win is
// tried and raced within the budget, and a strategy that takes tens of times as long as a copy
// takes a part of it.
TrialSubject trial_subject(const Problem& normal, const DeviceInfo& device, double budget_seconds,
                           std::uint64_t free_bytes);

}  // namespace xpose
