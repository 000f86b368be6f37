// Trials in the calling process.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "plan.hpp"
#include "trial_runner.hpp"

namespace xpose {

class InProcessRunner final : public TrialRunner {
 public:
  // [normal form, not empty] Allocates buffers for the problem: rotated over four times the last
  // level cache, or one pair where `warm`, and never more than half of the free memory.
  // Throws Error no_memory or device.
  InProcessRunner(Backend& backend, const Problem& problem, unsigned threads, bool warm);

  Finding verify(const Candidate& candidate) override;
  Sample time(const Candidate& candidate) override;

 private:
  struct Prepared {
    std::unique_ptr<BoundPlan> plan;
    int calls = 0;  // in one sample
  };
  Prepared& prepare(const Candidate& candidate);
  void launch(const Candidate& candidate, const BoundPlan& plan, std::size_t set);

  Backend& backend_;
  Problem problem_;
  unsigned threads_;
  Arena arena_;
  std::size_t next_set_ = 0;
  std::map<std::string, Prepared> prepared_;
};

}  // namespace xpose
