#include "commands/cache_import.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <utility>

namespace xpose::app {
namespace {

struct Group {
  std::size_t decisions = 0;
  std::set<std::string> strategies;
};

bool was_right(const Decision& decision) {
  return std::ranges::any_of(decision.trials, [&](const CachedTrial& trial) {
    return trial.variant == decision.winner && trial.digest == decision.digest &&
           trial.role == Role::transpose && trial.verdict == Verdict::ok;
  });
}

// The same axes, in any order, each with one of its values.
bool is_config(const Config& config, const StrategyInfo& strategy) {
  return config.size() == strategy.axes.size() &&
         std::ranges::all_of(strategy.axes, [&](const auto& axis) {
           const auto value = std::ranges::find(config, axis.first, &AxisValue::axis);
           return value != config.end() &&
                  std::ranges::find(axis.second, value->value) != axis.second.end();
         });
}

// Why the plugin's strategy cannot have won, or nothing.
std::string objection(const Decision& decision, const PluginInfo& plugin) {
  const auto found =
      std::ranges::find(plugin.strategies, decision.winner.strategy, &StrategyInfo::name);
  if (found == plugin.strategies.end()) return "name no strategy of their plugin";
  if (found->role == Role::copy) return "name a copy";
  if (found->role == Role::numeric) return "name a strategy that does arithmetic on the elements";
  if (found->role == Role::experiment) return "name an experiment";
  if (!is_config(decision.winner.config, *found)) return "name no config of their strategy";
  return {};
}

// The names are a foreign document's.
std::string sentence(const std::string& what, const Group& group) {
  constexpr std::size_t kMostNames = 8;
  constexpr std::size_t kMostBytes = 128;  // of a name
  std::string names;
  std::size_t left = group.strategies.size();
  for (const std::string& name : group.strategies) {
    if (group.strategies.size() - left == kMostNames) break;
    names += (names.empty() ? "" : ", ") + one_line(name, kMostBytes);
    --left;
  }
  if (left != 0) names += " and " + std::to_string(left) + " more";
  return what + ": " + std::to_string(group.decisions) + " (" + names + ").";
}

}  // namespace

std::vector<std::string> take_usable(CacheContents& contents,
                                     const std::vector<PluginInfo>& plugins) {
  std::map<std::string, Group> refused;
  Group absent;
  const auto count = [](Group& group, const Decision& decision) {
    ++group.decisions;
    group.strategies.insert(decision.winner.strategy);
  };
  std::erase_if(contents.decisions, [&](const Decision& decision) {
    const auto plugin = std::ranges::find(plugins, decision.digest, &PluginInfo::digest);
    std::string why = was_right(decision) ? "" : "have no trial that found their winner right";
    if (why.empty() && plugin == plugins.end()) count(absent, decision);
    if (why.empty() && plugin != plugins.end()) why = objection(decision, *plugin);
    if (why.empty()) return false;
    count(refused[why], decision);
    return true;
  });
  std::vector<std::string> sentences;
  sentences.reserve(refused.size() + 1);
  for (const auto& [why, group] : refused)
    sentences.push_back(sentence("Decisions not imported because they " + why, group));
  if (absent.decisions != 0)
    sentences.push_back(
        sentence("Decisions kept for plugins that are not installed here yet", absent));
  return sentences;
}

}  // namespace xpose::app
