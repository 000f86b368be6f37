// The remembered part of a choice, and its key.
#pragma once

#include <string>
#include <vector>

#include "cache/cache.hpp"
#include "strategy/candidates.hpp"
#include "xpose/cache.hpp"

namespace xpose {

// The key of a problem in what is remembered: devices of one class share their choices.
std::string key_anywhere(Problem normal);

// The circumstances of a choice. `plugins`: the catalog's digest.
CacheKey key_of(const Problem& normal, const DeviceInfo& device, const std::string& plugins,
                unsigned threads, bool warm);

// A report that has a winner, with the candidates that it is about. `earlier`: a provisional
// decision for the key, whose trials of other strategies are kept.
Decision decision_of(const CacheKey& key, const TuneReport& report,
                     const std::vector<Candidate>& candidates, const Decision* earlier = nullptr);

// The worth of the predictions of a report with a roof, one a strategy: of its best prediction.
// The error of the cost model itself is nobody's: times are compared with what the best of those
// strategies took that came with the library, where none of these kept to its prediction.
std::vector<Prediction> predictions_of(const CacheKey& key, const TuneReport& report,
                                       const std::vector<Candidate>& candidates);

}  // namespace xpose
