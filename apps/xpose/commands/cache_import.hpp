// Which rows of somebody else's cache may be taken.
#pragma once

#include <string>
#include <vector>

#include "xpose/cache.hpp"

namespace xpose::app {

// Removes decisions that may never be used. The winner of such a decision was right in no trial, is
// not a transpose of the plugin with that digest, or has none of its configs. Decisions of absent
// plugins stay, and are used once these are installed. Returns a sentence for each reason, with the
// number of decisions and the names of strategies.
std::vector<std::string> take_usable(CacheContents& contents,
                                     const std::vector<PluginInfo>& plugins);

}  // namespace xpose::app
