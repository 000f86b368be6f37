// The thresholds of a race and of the choice of the problem that it runs on. An engine uses the
// defaults; tests inject others. core/NOTES.md has the figures behind them.
#pragma once

#include <cstdint>

#include "strategy/cost_model.hpp"
#include "strategy/trust.hpp"

namespace xpose {

// A ratio is of two times, a share is of the budget unless its comment says otherwise.
struct RacePolicy {
  // ---------------------------------------------------------------------------------- expectations

  // Ratio to the best expected time beyond which a candidate is far behind. Such a candidate is not
  // tried once one is right. The order of candidates uses the same ratio.
  double far_behind_ratio = xpose::far_behind_ratio;
  // Ratio to the best expected time up to which second configs keep the order of their authors:
  // expectations are no more precise than that. The order of candidates uses the same ratio.
  double near_ratio = xpose::near_ratio;
  // Most that is expected of a shipped strategy's measured time, over its prediction: tests hold
  // these predictions, so a longer launch was disturbed. Trust in predictions uses the same ratio.
  double held_ratio = xpose::held_ratio;
  // Launch time over prediction that is assumed where one launch could exceed the budget: the cost
  // model underestimates loops that walk across many cache lines.
  double underestimate_ratio = 2.5;

  // ---------------------------------------------------------------------------------------- trying

  // Share after which nothing more is tried, without the time to make buffers. The rest belongs to
  // the race, without which a choice rests on single samples.
  double trying_share = 0.6;
  // Ratio of a strategy's first right config to the fastest contestant beyond which its other
  // configs are left out: axes seldom gain as much.
  double hopeless_ratio = 3;
  // Share that second samples of strategies may take, and again as much for copies. A disturbed
  // first sample deserves another one, but a launch of seconds must not be repeated at any price.
  double second_sample_share = 0.1;
  // Samples from which on the median counts, in number. Of fewer samples the least counts, because
  // one disturbed launch among them moves their median.
  int samples_for_median = 3;

  // ---------------------------------------------------------------------------------------- racing

  // Share after which no round begins, with the time to make buffers. The rest verifies finalists.
  double racing_share = 0.85;
  // Ratio to the fastest contestant's median beyond which a contestant is dropped after any round:
  // noise seldom makes up for so much.
  double drop_ratio = 1.5;
  // Rounds from which on contestants are compared round by round, in number: a standard error of
  // fewer pairs says little.
  int rounds_to_compare = 5;
  // Standard errors of a paired comparison that make it certain, in number: about 95 % of the means
  // of normal noise lie within two.
  double certain_errors = 2;
  // Excess of a time over another that counts as a tie, as a fraction. Ties go to shipped
  // strategies and lower prior ranks, so that a machine gives the same answer every day.
  double tie_excess = 0.02;
  // Ratio of the fastest copy to its own median beyond which a round is discarded: a copy does the
  // same work in every round, so the clock dropped.
  double clock_drop_ratio = 1.2;
  // Ratio to the fastest contestant's median up to which contestants stay finalists when the budget
  // ends the race. Verification of the others would take the time that the finalists need.
  double finalist_ratio = 1.1;
};

}  // namespace xpose
