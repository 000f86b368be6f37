// Who may still win: by what is believed of a strategy's quote, and once measured, by that alone.
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
  explicit Expectations(std::span<const Candidate> candidates);

  // One of the strategy's configs took so long; from its first one on, nothing said counts. Of what
  // came with the library no more than twice is expected: a busy machine disturbs single launches.
  void measured(const std::string& strategy, double time);
  // None of its configs tried so far was right: it makes no other far behind.
  void failed(const std::string& strategy) { best_.erase(strategy); }

  // Whether the candidate is believed to take over so many times the best that is expected.
  bool is_behind(const Candidate& candidate, double ratio) const;

 private:
  std::map<std::string, double> best_;     // of each strategy
  std::map<std::string, double> at_most_;  // of those that came with the library
  std::set<std::string> measured_;
};

// A strategy's first right config.
struct FirstConfig {
  double seconds = 0;
  double predicted = not_predicted;
};

// Sorts other configs by what their strategy's first one took, and how much slower than that one
// their author says they are; copies come first, strategies without a right config last. Within 5 %
// of the best they stay as they are.
void sort_by_first_config(std::vector<const Candidate*>& others,
                          const std::map<std::string, FirstConfig>& firsts);

}  // namespace xpose
