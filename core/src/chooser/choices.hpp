// The choices of an engine in memory.
#pragma once

#include <optional>
#include <shared_mutex>
#include <string>
#include <unordered_map>

#include "strategy/candidates.hpp"

namespace xpose {

// A candidate whose strategy is loaded into this process.
struct Choice {
  Candidate winner;
  bool is_estimate = false;     // no trial on the problem chose it
  bool is_provisional = false;  // rivals are untried, whose turn it is, once in an engine
};

// Nothing is left out of a choice, so that it may be kept.
inline bool is_whole(const TuneOptions& options) { return options.variants.empty(); }

// By problem, and whether the caches are warm. [any thread]
class Choices {
 public:
  std::optional<Choice> find(const Problem& normal, const TuneOptions& options, bool or_estimate);

  // The choice that was given. A measured choice stays where another thread estimates; one of which
  // something was left out is not kept.
  Choice keep(const Problem& normal, const TuneOptions& options, Choice choice);

  // Whether the caller is the first of this engine to improve a provisional choice: nobody pays for
  // that again.
  bool claim_improvement(const Problem& normal, const TuneOptions& options);

  // Also those of the same problem in buffers of other alignments.
  void forget(const Problem& normal, const TuneOptions& options);
  void forget_all();

 private:
  std::shared_mutex mutex_;
  std::unordered_map<std::string, Choice> by_name_;
};

}  // namespace xpose
