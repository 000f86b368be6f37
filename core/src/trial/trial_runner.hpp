// Runs trials in this process or in a worker. A race decides which and when.
#pragma once

#include <span>

#include "strategy/candidates.hpp"

namespace xpose {

struct Sample {
  Outcome outcome;     // ok, or how the timing ended
  double seconds = 0;  // of one call
  bool operator==(const Sample&) const = default;
};

// For one problem. Never throws for what a plugin does: the outcome says it.
// [one thread at a time]
class TrialRunner : public Quoter {
 public:
  // Makes the buffers. Throws Error: no_memory, device.
  virtual void prepare() = 0;
  // Poisons the output, launches once, and compares everything.
  virtual Outcome verify(const Candidate& candidate) = 0;
  // For authors, of what verify() finds right: whether launches touch memory outside the input and
  // the output, or depend on it, and whether two threads may launch at once. Here: nothing is
  // looked for.
  virtual Outcome examine(const Candidate&) { return {}; }
  // Times enough calls for one sample.
  virtual Sample time(const Candidate& candidate) = 0;
};

}  // namespace xpose
