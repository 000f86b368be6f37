// A contestant is a candidate in a race, with its samples.
#pragma once

#include <span>
#include <vector>

#include "strategy/candidates.hpp"

namespace xpose {

// [one thread at a time]
struct Contestant {
  explicit Contestant(const Candidate& candidate);

  // Copies and numeric transposes are references: a race times them and never chooses them.
  bool is_reference() const { return candidate->role != Role::transpose; }
  double median() const;
  // The seconds that decide whether it stays: the least of fewer samples than
  // RacePolicy::samples_for_median, else the median.
  double judged_seconds(int samples_for_median) const;
  void keep(double sample);
  void discard_last();

  const Candidate* candidate;
  Trial trial;
  std::vector<double> seconds;  // by round; contestants that still race have all rounds
  std::vector<double> rounds;   // the same with the discarded rounds, as NaN
  double cost = 0;              // seconds of its last timing, with the cleaning of caches
  bool racing = false;
  bool has_second_sample = false;  // taken because the first one put it far behind
};

// The contestant in the race with the least median, of the references or of the others; or null.
Contestant* fastest_of(std::span<Contestant> contestants, bool references);
// Likewise of the copies: the roof.
Contestant* fastest_copy_of(std::span<Contestant> contestants);

}  // namespace xpose
