// Every host strategy that is shipped, verified in this process.
#pragma once

#include <string>
#include <vector>

#include "plugin/plugin_library.hpp"

namespace xpose {

// Of all plugins, loaded: copies, numeric ones and those in place as well.
std::vector<const Strategy*> host_strategies();

// On a problem that is worth `threads` threads, in every config of a strategy that serves it; what
// is wrong, or nothing.
std::string complaint_of(const Strategy& strategy, unsigned threads);

}  // namespace xpose
