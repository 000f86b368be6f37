// Runs trials for the tuner, which only decides which and when. In process here; a worker process
// can stand behind the same interface.
#pragma once

#include "arena.hpp"
#include "candidates.hpp"

namespace xpose {

struct Sample {
  Finding finding;     // ok, or how the timing ended
  double seconds = 0;  // of one call
};

// [one thread at a time] Never throws for what a candidate does: the finding says it.
class TrialRunner {
 public:
  virtual ~TrialRunner() = default;
  // Poisons the output, launches once, and compares everything.
  virtual Finding verify(const Candidate& candidate) = 0;
  // Times enough calls for one sample.
  virtual Sample time(const Candidate& candidate) = 0;
};

}  // namespace xpose
