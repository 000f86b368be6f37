#include "plugin/limits.hpp"

#include <algorithm>
#include <set>

#include "xpose/plugin.h"

namespace xpose {
namespace {

const std::string kNaming =
    "[a-z][a-z0-9_]* with at most " + std::to_string(kMaxNameBytes) + " bytes";

std::string axes_problem(const StrategyInfo& strategy) {
  if (strategy.axes.size() > XPOSE_MAX_AXES)
    return "has " + std::to_string(strategy.axes.size()) + " axes, more than " +
           std::to_string(XPOSE_MAX_AXES);
  std::uint64_t configs = 1;
  std::set<std::string_view> names;
  for (const auto& [axis, values] : strategy.axes) {
    if (!is_name(axis)) return "has an axis whose name does not match " + kNaming;
    if (!names.insert(axis).second) return "has two axes named '" + axis + "'; rename one";
    if (values.empty() || values.size() > XPOSE_MAX_AXIS_VALUES)
      return "has no values, or more than " + std::to_string(XPOSE_MAX_AXIS_VALUES) +
             ", on its axis '" + axis + '\'';
    configs *= values.size();
    if (configs > kMaxConfigs)
      return "has more than " + std::to_string(kMaxConfigs) + " configs; leave values out";
  }
  return {};
}

// Numbers that no problem or device has would leave the strategy out without a word.
std::string limit_problem(const StrategyInfo& strategy) {
  if (strategy.max_extent < 0)
    return "serves at most " + std::to_string(strategy.max_extent) +
           " rows and columns; state 0 as max_extent for no limit";
  if (strategy.max_batch_rank > XPOSE_MAX_BATCH_RANK)
    return "takes " + std::to_string(strategy.max_batch_rank) +
           " batch dimensions in a launch, and a problem has at most " +
           std::to_string(XPOSE_MAX_BATCH_RANK) + "; state that as max_batch_rank";
  if (strategy.min_alignment > kMaxAlignment)
    return "asks for an alignment of " + std::to_string(strategy.min_alignment) +
           " bytes, and problems tell of at most " + std::to_string(kMaxAlignment) +
           "; lower min_alignment";
  if (strategy.min_compute_capability > kMaxComputeCapability)
    return "asks for the compute capability " + std::to_string(strategy.min_compute_capability) +
           ", which no device has; state 10 * major + minor as min_compute_capability";
  return {};
}

std::string problem_of(const StrategyInfo& strategy) {
  if (!is_name(strategy.name)) return "has a strategy whose name does not match " + kNaming;
  const std::string name = "its strategy '" + strategy.name + "' ";
  if (strategy.summary.size() > kMaxSummaryBytes)
    return name + "has a summary of more than " + std::to_string(kMaxSummaryBytes) +
           " bytes; shorten it";
  if (const std::string limit = limit_problem(strategy); !limit.empty()) return name + limit;
  if (const std::string axes = axes_problem(strategy); !axes.empty()) return name + axes;
  return {};
}

}  // namespace

const std::string kTooManyStrategies = "offers more than " + std::to_string(kMaxStrategies) +
                                       " strategies; make several plugins of it";

bool is_name(std::string_view text) {
  const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
  return !text.empty() && text.size() <= kMaxNameBytes && is_lower(text[0]) &&
         std::ranges::all_of(
             text, [&](char c) { return is_lower(c) || (c >= '0' && c <= '9') || c == '_'; });
}

std::string description_problem(const PluginInfo& plugin) {
  if (!is_name(plugin.name)) return "its name does not match " + kNaming;
  if (plugin.strategies.size() > kMaxStrategies) return kTooManyStrategies;
  std::set<std::string_view> names;
  for (const StrategyInfo& strategy : plugin.strategies) {
    if (std::string problem = problem_of(strategy); !problem.empty()) return problem;
    if (!names.insert(strategy.name).second)
      return "offers two strategies named '" + strategy.name + "'; rename one";
  }
  return {};
}

}  // namespace xpose
