// The variants that may serve a problem: axes x quote.
#pragma once

#include <span>
#include <vector>

#include "plugin_library.hpp"
#include "xpose/xpose.hpp"

namespace xpose {

// A variant that its strategy has quoted for a problem.
struct Candidate {
  const Strategy* strategy = nullptr;
  std::vector<std::int64_t> values;  // one an axis, in the card's order
  Variant variant;
  std::string launch;
  std::uint64_t workspace_bytes = 0;
  bool is_copy = false;
  int prior_rank = 0;
  std::string unsupported;  // why the strategy cannot serve the problem; empty: it can
};

// The problem that a strategy is asked to solve: the problem itself, or for a copy the dense copy
// of the same bytes.
Problem problem_for(const Strategy& strategy, const Problem& normal);

// Quotes one config; never throws for what a plugin answers.
Candidate quote(const Strategy& strategy, std::vector<std::int64_t> values, const Problem& normal,
                const DeviceInfo& device);

// Every config of a strategy, the author's default first.
std::vector<std::vector<std::int64_t>> configs(const xpose_card& card);

// All candidates for a problem [normal form, not empty] on its device, first configs of all
// strategies (by prior rank) before second ones. A strategy that supports no config appears once,
// with the reason. Copies are always among them; `options` narrows the rest.
std::vector<Candidate> candidates(std::span<const Strategy* const> strategies,
                                  const Problem& normal, const DeviceInfo& device,
                                  const TuneOptions& options);

}  // namespace xpose
