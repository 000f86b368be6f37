// The stages of a race and the state that they share. Each has a file: race_trying, race_rounds,
// race_final, race_verifying; race.cpp calls them in order and reports.
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

// [one thread at a time]
class Race {
 public:
  Race(TrialRunner& trials, const Clock& clock, const TuneOptions& options,
       const RacePolicy& policy)
      : trials_(trials), clock_(clock), options_(options), policy_(policy), begin_(clock()) {}

  void prepare() {
    trials_.prepare();
    prepared_ = clock_();
  }
  void try_all(std::span<const Candidate> candidates);
  void run_rounds();
  void run_final();
  void verify_again();
  TuneReport report(std::uint64_t bytes);

 private:
  bool interrupted() {
    if (!report_.interrupted && options_.interrupted) report_.interrupted = options_.interrupted();
    return report_.interrupted;
  }
  void progress(std::string_view stage, std::size_t done, std::size_t total, const Trial* trial) {
    if (options_.progress) options_.progress({stage, done, total, trial});
  }
  double elapsed() const { return clock_() - begin_; }
  bool is_trying_spent() const;
  bool is_racing_spent(double next_round = 0) const;
  bool is_first_round_too_long() const;
  Contestant* fastest(bool references) { return fastest_of(contestants_, references); }
  double judged_seconds(const Contestant& contestant) const {
    return contestant.judged_seconds(policy_.samples_for_median);
  }
  bool is_far_behind(const Candidate& candidate) const {
    return expectations_.is_behind(candidate, policy_.far_behind_ratio);
  }

  void try_one(const Candidate& candidate, std::size_t total);
  void verify_and_time(Contestant& contestant);
  bool is_left_out(const Candidate& candidate);
  bool may_skip(const Candidate& candidate);
  bool may_exceed_budget(const Candidate& candidate);
  bool confirm_hopeless(const Candidate& candidate);
  std::map<std::string, FirstConfig> judge_first_configs();
  void update_expectations(const Contestant& contestant);

  Sample timed(Contestant& contestant);
  bool record(Contestant& contestant, const Outcome& outcome);
  bool confirm_beyond(Contestant& contestant, double limit);
  bool may_time_again(const Contestant& contestant);
  void time_again(Contestant& contestant);
  double& second_sample_seconds(const Contestant& contestant) {
    return second_sample_seconds_.at(contestant.candidate->role == Role::copy ? 1 : 0);
  }

  void run_round(int turn);
  void drop_slow();
  void drop_certain_losers(const Contestant& best);
  void drop_beyond(double ratio);
  void narrow_field();
  double round_seconds() const;
  Contestant* estimate();
  std::vector<Contestant*> finalists();
  double final_seconds();
  bool is_settled();

  TrialRunner& trials_;
  const Clock& clock_;
  const TuneOptions& options_;
  const RacePolicy& policy_;
  double begin_;          // of all stages
  double prepared_ = 0;   // the time at which the buffers were ready
  std::size_t done_ = 0;  // candidates that were tried or left out
  Expectations expectations_;
  std::vector<Contestant> contestants_;
  std::array<double, 2> second_sample_seconds_{};  // spent on them: strategies, copies
  std::vector<const Candidate*> untried_;
  bool was_slow_ = false;                           // the fastest copy, in the last round
  std::vector<Contestant*> set_aside_;              // that the final takes out of the race
  std::set<std::string> tried_;                     // strategies
  std::map<std::string, std::size_t> first_right_;  // contestant of a strategy's first right config
  TuneReport report_;
};

}  // namespace xpose
