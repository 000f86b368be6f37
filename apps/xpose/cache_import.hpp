// Which rows of somebody else's cache may be taken.
#pragma once

#include <string>
#include <vector>

#include "xpose/cache.hpp"

namespace xpose::app {

// Removes decisions that may never be used: whose winner no trial found right, is not a transpose
// of the plugin with that digest, or not one of its configs. Decisions of plugins that are not
// among these stay, and are used once they are. Says of both how many and which strategies, one
// sentence each.
std::vector<std::string> take_usable(CacheContents& contents,
                                     const std::vector<PluginInfo>& plugins);

}  // namespace xpose::app
