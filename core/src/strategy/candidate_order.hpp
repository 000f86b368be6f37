// In which order candidates are tried.
#pragma once

#include <vector>

#include "strategy/candidates.hpp"

namespace xpose {

// The supported configs of a strategy, at least one, by prediction.
void sort_configs(std::vector<Candidate>& configs);

// Strategies, each with its sorted configs, as candidates() says; of one
// strategy, what won before comes first. Marks the estimate and the favourites.
void sort_strategies(std::vector<std::vector<Candidate>>& all, const Evidence& evidence);

}  // namespace xpose
