// What is kept of a choice, and under which key.
#pragma once

#include <vector>

#include "plugin/candidates.hpp"
#include "xpose/cache.hpp"

namespace xpose {

// What a choice depends on. `plugins`: the catalog's digest.
CacheKey key_of(const Problem& normal, const DeviceInfo& device, const std::string& plugins,
                unsigned threads, bool warm);

// A report that has a winner, with the candidates that it is about.
Decision decision_of(const CacheKey& key, const TuneReport& report,
                     const std::vector<Candidate>& candidates);

}  // namespace xpose
