// Trials with told outcomes and told times, and the fixture of a race's tests around them.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "tuning/race.hpp"

namespace xpose {

// A machine on which a variant takes a told time, and a clock that only trials move.
class ToldRunner : public TrialRunner {
 public:
  struct Behaviour {
    double seconds = 1e-3;
    std::map<int, double> disturbed = {};        // the n-th sample takes so many times as long
    Verdict verdict = Verdict::ok;               // of verify
    Verdict later_verdict = Verdict::ok;         // of every verify but the first
    Verdict timing_verdict = Verdict::ok;        // of time
    Verdict later_timing_verdict = Verdict::ok;  // of every time but the first
    int verified = 0;
    int timed = 0;
  };

  std::vector<QuoteAnswer> quote(const Strategy&, const std::vector<Values>&) override {
    return {};
  }
  void prepare() override { now += preparing; }

  Outcome verify(const Candidate& candidate) override {
    Behaviour& behaviour = variants[candidate.variant.strategy];
    now += behaviour.seconds;
    const bool first = behaviour.verified++ == 0;
    return {first ? behaviour.verdict : behaviour.later_verdict, "said so"};
  }

  Sample time(const Candidate& candidate) override {
    Behaviour& behaviour = variants[candidate.variant.strategy];
    ++behaviour.timed;
    double seconds = behaviour.seconds * (slow_down ? slow_down(behaviour.timed) : 1.0);
    if (const auto found = behaviour.disturbed.find(behaviour.timed);
        found != behaviour.disturbed.end())
      seconds *= found->second;
    now += seconds;
    order += candidate.variant.strategy;
    const bool first = behaviour.timed == 1;
    return {{first ? behaviour.timing_verdict : behaviour.later_timing_verdict, "timing"}, seconds};
  }

  // As if nothing had been tried: counts, order and clock begin anew.
  void forget() {
    for (auto& [name, behaviour] : variants) behaviour.verified = behaviour.timed = 0;
    order.clear();
    now = 100;
  }

  std::map<std::string, Behaviour> variants;
  std::function<double(int)> slow_down;  // by how often a variant was timed
  double now = 100;
  double preparing = 0;  // seconds
  std::string order;
};

inline Candidate candidate(const std::string& name, int prior_rank = 100,
                           Role role = Role::transpose) {
  Candidate made;
  made.variant.strategy = name;
  made.prior_rank = prior_rank;
  made.role = role;
  return made;
}

class RaceTest : public testing::Test {
 protected:
  TuneReport run() {
    return race(
        candidates, 1000, runner, [this] { return runner.now; }, options, policy);
  }
  static std::string winner(const TuneReport& report) {
    return report.winner ? report.trials[*report.winner].variant.strategy : "";
  }
  static const Trial& trial(const TuneReport& report, const std::string& name) {
    for (const Trial& one : report.trials)
      if (one.variant.strategy == name) return one;
    throw std::out_of_range(name);
  }

  ToldRunner runner;
  std::vector<Candidate> candidates;
  TuneOptions options;
  RacePolicy policy;
};

}  // namespace xpose
