#include "options/offered.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "options/options.hpp"

namespace xpose::app {
namespace {

template <class Visit>
void for_each_offered(const std::vector<PluginInfo>& plugins, const Visit& visit) {
  for (const PluginInfo& plugin : plugins)
    if (plugin.refused.empty())
      for (const StrategyInfo& strategy : plugin.strategies)
        if (strategy.role != Role::experiment) visit(strategy);
}

template <class Items, class Text>
std::string list(const Items& items, const Text& text_of) {
  std::string text;
  for (const auto& item : items) text += (text.empty() ? "" : ", ") + text_of(item);
  return text;
}

// "host_simd", or which strategies were considered.
std::string whose(const std::vector<std::string>& names, DeviceKind kind) {
  if (names.empty()) return kind == DeviceKind::host ? "no host strategy" : "no CUDA strategy";
  return (names.size() == 1 ? "" : "none of ") +
         list(names, [](const std::string& name) { return name; });
}

}  // namespace

void check_strategies(const std::vector<PluginInfo>& plugins,
                      const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    bool known = false;
    for_each_offered(plugins,
                     [&](const StrategyInfo& strategy) { known = known || strategy.name == name; });
    if (!known)
      throw UsageError("no loaded plugin offers a strategy '" + name +
                       "'; `xpose plugins` lists them");
  }
}

void check_config(const std::vector<PluginInfo>& plugins, const std::vector<std::string>& names,
                  DeviceKind kind, const Config& config) {
  std::map<std::string, std::set<std::int64_t>> axes;
  bool any = false;
  for_each_offered(plugins, [&](const StrategyInfo& strategy) {
    if (names.empty() ? strategy.device_kind != kind : !std::ranges::count(names, strategy.name))
      return;
    any = true;
    for (const auto& [axis, values] : strategy.axes)
      axes[axis].insert(values.begin(), values.end());
  });
  if (!any) return;
  const bool one = names.size() == 1;
  const std::string who = whose(names, kind);
  const auto refuse = [&](const std::string& what, const std::string& there_are) {
    throw UsageError(who + (one ? " has no " : " has ") + what + there_are);
  };
  for (const auto& [name, value] : config) {
    const auto axis = axes.find(name);
    if (axis == axes.end())
      refuse((one ? "axis '" : "an axis '") + name + "'; the axes are: ",
             axes.empty() ? "none" : list(axes, [](const auto& a) { return a.first; }));
    else if (!axis->second.contains(value))
      refuse(name + '=' + std::to_string(value) + "; the values are: ",
             list(axis->second, [](std::int64_t v) { return std::to_string(v); }));
  }
}

}  // namespace xpose::app
