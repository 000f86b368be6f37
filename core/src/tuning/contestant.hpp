// A candidate in the race, with its samples.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "strategy/candidates.hpp"
#include "tuning/sample_statistics.hpp"

namespace xpose {

// [one thread at a time]
struct Contestant {
  const Candidate* candidate = nullptr;
  Trial trial;
  std::vector<double> seconds;  // by round; contestants still racing have all rounds
  std::vector<double> rounds;   // the same with the discarded rounds, as NaN
  bool racing = false;
  bool asked_again = false;  // by another sample, after the first one

  // Copies and numeric transposes are timed, and never chosen.
  bool is_reference() const { return candidate->is_copy || candidate->is_numeric; }
  double median() const { return quantile(seconds, 0.5); }
  // What it is dropped by: of two samples, either of which may be disturbed, the smaller one.
  double judged() const { return quantile(seconds, seconds.size() < 3 ? 0 : 0.5); }
  void keep(double sample) {
    seconds.push_back(sample);
    rounds.push_back(sample);
  }
  void discard_last() {
    seconds.pop_back();
    rounds.back() = std::numeric_limits<double>::quiet_NaN();
  }
};

// The one in the race with the least median, of the references or of the others; or null.
inline Contestant* fastest_of(std::span<Contestant> contestants, bool references) {
  Contestant* best = nullptr;
  for (Contestant& contestant : contestants)
    if (contestant.racing && contestant.is_reference() == references &&
        (best == nullptr || contestant.median() < best->median()))
      best = &contestant;
  return best;
}

}  // namespace xpose
