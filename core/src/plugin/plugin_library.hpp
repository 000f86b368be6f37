// A plugin that is loaded into this process. Boost.DLL is included by plugin_library.cpp alone.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "plugin/plugin_file.hpp"
#include "strategy/strategy.hpp"
#include "xpose/plugin.h"
#include "xpose/xpose.hpp"

namespace xpose {

struct PluginLibrary {
  PluginInfo info;
  std::vector<xpose_strategy> functions;  // the host's own copies, one a strategy
  std::vector<Strategy> strategies;       // of the library as it lies in the registry
};

// Loads a file with every symbol resolved and its own kept local, or gives back what was loaded
// with that digest before: a plugin is loaded once and never unloaded. The file's descriptor is
// what is loaded. Never call it in a process that is to outlive what the plugin may do. Throws
// Refusal. [any thread]
const PluginLibrary& load_plugin(PluginFile file, const std::string& digest);

// Reads what an entry returned, negotiating versions by struct size. Throws Refusal.
PluginLibrary read_plugin(const xpose_plugin* plugin);

}  // namespace xpose
