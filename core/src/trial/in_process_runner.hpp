// Trials in the calling process.
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>

#include "strategy/bound_plan.hpp"
#include "trial/arena.hpp"
#include "trial/examination.hpp"
#include "trial/trial_runner.hpp"

namespace xpose {

class InProcessRunner final : public TrialRunner {
 public:
  // Told which stage begins: "create", "launch", "check", "destroy", "time", and those of an
  // Examination.
  using AtStage = std::function<void(std::string_view)>;

  // [normal form, not empty] The buffers are rotated over four times the last level cache, and
  // never take more than half of the free memory. One pair where `warm`, on CUDA where a pair is
  // eight times the cache, and on the host from 4 MiB on: there a sample is one call, and the
  // host's cache is cleaned before it. A long launch that took over three times the fastest so far
  // when it was verified is timed by that launch (host; when asked again by another) or one more
  // (CUDA).
  InProcessRunner(Backend& backend, const Problem& problem, unsigned threads, bool warm,
                  AtStage at_stage = {});

  std::vector<QuoteAnswer> quote(const Strategy& strategy,
                                 const std::vector<Values>& configs) override;
  void prepare() override;
  Outcome verify(const Candidate& candidate) override;
  Outcome examine(const Candidate& candidate) override;
  Sample time(const Candidate& candidate) override;

 private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  struct Prepared {
    std::unique_ptr<BoundPlan> plan;
    int calls = 0;                         // in one sample
    std::optional<std::size_t> timed_set;  // the buffers that it was timed on last
    double verified_seconds = 0;  // of the launch that was verified last, as the host sees it
    bool destroyed_one = false;
    bool was_timed = false;   // the verified launch may be the first sample; then it is doubted
    bool one_by_one = false;  // single calls where a GPU's would be timed together
    bool is_cleared = false;  // of the suspicion that it does not do its work
    std::string note;         // for whoever reads its time
  };
  Prepared& bind(const Candidate& candidate);
  void at_stage(std::string_view stage) const {
    if (at_stage_) at_stage_(stage);
  }
  bool is_timed_alone() const;
  // Times calls on buffers in which the arena changed what only it knows, and looks at that right
  // after; seconds of one.
  Outcome timed_calls(const Candidate& candidate, Prepared& prepared, int calls,
                      bool calls_are_long, double& seconds);
  bool is_suspect(const Candidate& candidate, const Prepared& prepared, double seconds) const;
  Sample time_under_suspicion(const Candidate& candidate, Prepared& prepared, double seconds);
  // Restores the buffers after a trial that failed on its way: no strategy is blamed for what
  // another has left there.
  void mend();
  // Of the pairs that so many calls use, from the first on.
  void clean_caches(std::size_t first, int calls);
  void launch(const Candidate& candidate, const BoundPlan& plan, void* workspace, std::size_t set);

  Backend& backend_;
  Problem problem_;
  unsigned threads_;
  bool warm_;
  AtStage at_stage_;
  std::optional<Arena> arena_;
  std::optional<Examination> examination_;
  std::size_t next_set_ = 0;
  bool is_disturbed_ = false;                   // the buffers, by a trial that failed on its way
  double fastest_[2] = {kInfinity, kInfinity};  // seconds of a call so far: transposes, references
  double fastest_copy_ = kInfinity;
  std::mt19937_64 random_{std::random_device{}()};  // no plugin knows which
  std::map<std::string, Prepared> prepared_;
};

}  // namespace xpose
