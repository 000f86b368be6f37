// The worth of a quote's figures: a claim of its author, until they were measured here.
#pragma once

#include <optional>
#include <vector>

namespace xpose {

// Up to as many times the predicted time is the cost model's affair, and no lie.
inline constexpr double kHeldRatio = 2;

struct Trust {
  // A prediction is multiplied by this before it counts. None: nothing of the strategy was measured
  // here, and it did not come with the library, so that its predictions do not count.
  std::optional<double> discount = 1;
  bool is_shipped = true;  // came with the library, whose tests hold its predictions
};

// From measured over predicted times, one a problem, in any order. The discount is their median,
// and never below 1. Strategies that came with the library count as predicted, whatever was
// measured here: an estimate among them is the same on every machine.
Trust trust_of(std::vector<double> errors, bool is_shipped);

}  // namespace xpose
