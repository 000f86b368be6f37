// What the tests of budgets share: the engine whose plugins are held to them, and who has one.
#pragma once

#include <array>
#include <set>
#include <string>
#include <vector>
#include <xpose/explain.hpp>

namespace xpose {

// A figure for elements of 1, 2, 4, 8 and 16 bytes.
using BySize = std::array<double, 5>;

Engine& engine();

// Of every plugin in the folder, those whose kernels the simulator can run.
std::vector<StrategyInfo> simulated_strategies();

std::set<std::string> with_a_budget_of_every_config();

}  // namespace xpose
