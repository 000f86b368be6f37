// The stages of a race, and the state they share: trying, rounds, verifying again, the report.
#pragma once

#include <array>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "tuning/contestant.hpp"
#include "tuning/expectations.hpp"
#include "tuning/race.hpp"

namespace xpose {

inline constexpr double drop_ratio = 1.5;  // to the fastest

// [one thread at a time]
class Race {
 public:
  Race(TrialRunner& trials, const Clock& clock, const TuneOptions& options)
      : trials_(trials), clock_(clock), options_(options), asked_(clock()) {}

  void prepare() {
    trials_.prepare();
    start_ = clock_();
  }
  void try_all(std::span<const Candidate> candidates);
  void run_rounds();
  void verify_again();
  TuneReport report(std::uint64_t bytes);

 private:
  bool interrupted() {
    if (!report_.interrupted && options_.interrupted) report_.interrupted = options_.interrupted();
    return report_.interrupted;
  }
  bool tried_long() const;
  bool raced_long(double and_then = 0) const;
  bool is_first_round_too_long() const;
  void progress(std::string_view stage, std::size_t done, std::size_t total, const Trial* trial) {
    if (options_.progress) options_.progress({stage, done, total, trial});
  }
  bool is_far_behind(const Candidate& candidate) const {
    return expectations_.is_behind(candidate, far_behind_ratio);
  }
  bool may_skip(const Candidate& candidate);
  bool is_hopeless(const Candidate& candidate);
  bool is_too_long(const Candidate& candidate);
  void expect(const Contestant& contestant);
  void try_one(const Candidate& candidate, std::size_t total);
  std::map<std::string, FirstConfig> first_configs();
  bool is_beyond(Contestant& contestant, double limit);
  bool may_ask_again(const Contestant& contestant);
  bool record(Contestant& contestant, const Outcome& outcome);
  void one_round(int turn);
  void drop_slow();
  void drop_beyond(double ratio);
  bool settled();
  Contestant* fastest(bool references) { return fastest_of(contestants_, references); }

  TrialRunner& trials_;
  const Clock& clock_;
  const TuneOptions& options_;
  double asked_;          // when all of this began
  double start_ = 0;      // when the buffers were there
  std::size_t done_ = 0;  // candidates that were tried or left out
  Expectations expectations_;
  std::vector<Contestant> contestants_;
  std::array<double, 2> asking_again_{};  // seconds that went into it: strategies, copies
  double round_seconds_ = 0;              // that the last one took
  std::vector<const Candidate*> untried_;
  std::set<std::string> tried_;  // strategies
  std::map<std::string, std::size_t>
      first_right_;  // contestant of each strategy's first right config
  TuneReport report_;
};

}  // namespace xpose
