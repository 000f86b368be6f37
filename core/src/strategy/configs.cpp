#include "strategy/configs.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace xpose {
namespace {

std::string list(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : ", ") + item;
  return text.empty() ? "none" : text;
}

// "smem has no axis 'foo'; its axes are: block_x, block_y", or nothing.
std::string objection(const StrategyInfo& strategy, const AxisValue& given) {
  std::vector<std::string> axes;
  for (const auto& [axis, offered] : strategy.axes) {
    axes.push_back(axis);
    if (axis != given.axis) continue;
    if (std::ranges::find(offered, given.value) != offered.end()) return {};
    std::vector<std::string> values;
    for (const std::int64_t value : offered) values.push_back(std::to_string(value));
    return strategy.name + " has no " + axis + '=' + std::to_string(given.value) +
           "; its values are: " + list(values);
  }
  return strategy.name + " has no axis '" + given.axis + "'; its axes are: " + list(axes);
}

Error malformed(const StrategyInfo& strategy, const Config& config, const std::string& why) {
  return {ErrorKind::invalid,
          "cannot use " + to_string(Variant{strategy.name, config}) + ": " + why};
}

}  // namespace

std::vector<Values> configs(const StrategyInfo& strategy) {
  std::vector<Values> all = {{}};
  for (const auto& [name, values] : strategy.axes) {
    std::vector<Values> longer;
    for (const Values& shorter : all)
      for (const std::int64_t value : values) {
        longer.push_back(shorter);
        longer.back().push_back(value);
      }
    all = std::move(longer);
  }
  return all;
}

Config config_of(const StrategyInfo& strategy, const Values& values) {
  Config config;
  for (std::size_t i = 0; i < strategy.axes.size(); ++i)
    config.push_back({strategy.axes[i].first, values.at(i)});
  return config;
}

void require_offered(const StrategyInfo& strategy, const Config& config) {
  for (const AxisValue& given : config) {
    if (const std::string why = objection(strategy, given); !why.empty())
      throw malformed(strategy, config, why);
    if (std::ranges::count(config, given.axis, &AxisValue::axis) > 1)
      throw malformed(strategy, config,
                      "axis '" + given.axis + "' is given twice; give it one value");
  }
}

Values values_of(const StrategyInfo& strategy, const Config& config) {
  require_offered(strategy, config);
  Values values;
  for (const auto& [axis, offered] : strategy.axes) {
    const auto given = std::ranges::find(config, axis, &AxisValue::axis);
    if (given == config.end())
      throw malformed(strategy, config, "axis '" + axis + "' is left out; give it a value");
    values.push_back(given->value);
  }
  return values;
}

Config filled(const StrategyInfo& strategy, Config config) {
  for (const auto& [axis, offered] : strategy.axes)
    if (std::ranges::find(config, axis, &AxisValue::axis) == config.end())
      config.push_back({axis, offered.front()});
  return config;
}

bool is_wanted(const StrategyInfo& strategy, const Values& values,
               std::span<const Variant> variants) {
  const Config config = config_of(strategy, values);
  const auto is_fixed_so = [&](const AxisValue& fixed) {
    return std::ranges::find(config, fixed) != config.end();
  };
  bool is_named = false;
  for (const Variant& variant : variants) {
    if (variant.strategy != strategy.name) continue;
    if (std::ranges::all_of(variant.config, is_fixed_so)) return true;
    is_named = true;
  }
  return variants.empty() || (strategy.role == Role::copy && !is_named);
}

}  // namespace xpose
