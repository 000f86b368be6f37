// In which order candidates are tried.
#pragma once

#include <vector>

#include "strategy/candidates.hpp"

namespace xpose {

// The supported configs of a strategy, at least one, by prediction. Predictions up to `near_ratio`
// times the best one are alike.
void sort_configs(std::vector<Candidate>& configs, double near_ratio);

// Strategies, each with its sorted configs, as candidates() says; of one
// strategy, what won before comes first. Marks the estimate and the favourites.
void sort_strategies(std::vector<std::vector<Candidate>>& all, const Evidence& evidence,
                     double near_ratio);

}  // namespace xpose
