// Checks names on the command line against the loaded plugins. Throws UsageError.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "xpose/xpose.hpp"

namespace xpose::app {

// Every name is a strategy's.
void check_strategies(const std::vector<PluginInfo>& plugins,
                      const std::vector<std::string>& names);

// Every axis of the config, with its value, is one of the strategies of these names. No names: of
// any strategy for the kind of device. Where no plugin offers those, it says nothing.
void check_config(const std::vector<PluginInfo>& plugins, const std::vector<std::string>& names,
                  DeviceKind kind, const Config& config);

}  // namespace xpose::app
