// The configs of a strategy: every combination of a value on each axis of its card.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "xpose/xpose.hpp"

namespace xpose {

// One value an axis, in the card's order.
using Values = std::vector<std::int64_t>;

// Every config of a strategy, the author's default first.
std::vector<Values> configs(const StrategyInfo& strategy);

Config config_of(const StrategyInfo& strategy, const Values& values);

// Throws Error invalid where the strategy has no such axis, not that value, or an axis is given
// twice.
void require_offered(const StrategyInfo& strategy, const Config& config);

// The config of these axes and values. Throws Error invalid as require_offered(), and where an axis
// is left out.
Values values_of(const StrategyInfo& strategy, const Config& config);

// A config with the author's default on each axis that it leaves out.
Config filled(const StrategyInfo& strategy, Config config);

// Whether a config is among the variants, as TuneOptions::variants has it.
bool is_wanted(const StrategyInfo& strategy, const Values& values,
               std::span<const Variant> variants);

}  // namespace xpose
