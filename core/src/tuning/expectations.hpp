// Times that strategies are expected to take: by what is believed of their quotes, and once
// measured, by the measurement alone.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "strategy/candidates.hpp"

namespace xpose {

// Times of transposes over the roof's. [one thread at a time]
class Expectations {
 public:
  Expectations() = default;
  // `held_ratio`: RacePolicy.
  Expectations(std::span<const Candidate> candidates, double held_ratio);

  // A config of the strategy took so long. From its first record on, no prediction of the strategy
  // counts. Of a shipped strategy no more than `held_ratio` times the prediction is expected.
  void record_time(const std::string& strategy, double time);
  // No config tried so far was right: the strategy makes no other far behind.
  void record_failure(const std::string& strategy) { best_.erase(strategy); }

  // Whether the candidate is believed to take over so many times the best that is expected.
  bool is_behind(const Candidate& candidate, double ratio) const;

 private:
  std::map<std::string, double> best_;     // of each strategy
  std::map<std::string, double> at_most_;  // of shipped strategies
  std::set<std::string> measured_;
};

// A strategy's first right config.
struct FirstConfig {
  double seconds = 0;
  double predicted = kNotPredicted;
};

// Sorts second and further configs. Each is expected to take the time of its strategy's first
// config, times the ratio of its prediction to that one's where it is above 1. Copies come first,
// strategies without a right config last. Configs within `near_ratio` (RacePolicy) of the best stay
// in front, in their order.
void sort_by_first_config(std::vector<const Candidate*>& others,
                          const std::map<std::string, FirstConfig>& firsts, double near_ratio);

}  // namespace xpose
