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
  double far_behind_ratio = kFarBehindRatio;
  // Ratio to the best expected time up to which second configs keep the order of their authors:
  // expectations are no more precise than that.
  double near_ratio = kNearRatio;
  // Most that is expected of a shipped strategy's measured time, over its prediction: tests hold
  // these predictions, so a longer launch was disturbed. Trust in predictions uses the same ratio.
  double held_ratio = kHeldRatio;
  // Launch time over prediction that is assumed where one launch could exceed the budget: the cost
  // cost model underestimates loops that walk across many cache lines.
  double underestimate_ratio = 2.5;

  // ---------------------------------------------------------------------------------------- trying

  // Share after which nothing more is tried, without the time to make buffers. The rest belongs to
  // the race, without which a choice rests on single samples.
  double trying_share = 0.6;
  // The same with the time to make buffers, which may not take all of the race's.
  double last_try_share = 0.75;
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
  // Standard errors of a paired comparison that make it certain, in number: two bound nearly
  // all means of normal noise.
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

  // Rounds in which the winner and the estimate meet at most, in number.
  int final_rounds = 63;

  // ------------------------------------------------------------------ seconds and memory of trials

  // Tries that a choice needs at least, in number: the copies and the most promising strategies. A
  // problem of which the budget permits fewer is not tried.
  double least_tries = 6;
  // Tries of a full race, in number: a stand-in is of a size at which the budget permits them.
  double full_tries = 24;
  // Seconds that trials of any size take on the host: messages to the worker.
  double host_fixed_seconds = 2e-3;
  // The same on a GPU, which loads kernels as well.
  double gpu_fixed_seconds = 20e-3;
  // Seconds a byte that the host takes to fill a buffer, on the safe side: its pages may never have
  // been touched, and a virtual machine is slow at that, however many processors it has.
  double host_make_seconds = 1e-9;
  // Seconds a byte that one multiprocessor of a GPU takes to fill a buffer.
  double gpu_make_seconds = 0.15e-9;
  // Seconds a byte that one processor takes for a try, on the safe side: poisoning, a launch,
  // comparing, and a launch on cold caches.
  double host_try_seconds = 0.74e-9;
  // The same for one multiprocessor of a GPU.
  double gpu_try_seconds = 0.4e-9;
  // Processors of the host up to which tries become faster, in number: memory limits more of them.
  double host_processors = 16;
  // Share of the free memory that trials take: other processes need the rest.
  double memory_share = 0.875;
  // Memory that pushes buffers out of the host's caches, in multiples of the last-level cache, as
  // Backend::clean_cache() takes it.
  double cleaning_caches = 1.5;

  // -------------------------------------------------------------------------------- the stand-in

  // Bytes of the smallest stand-in on the host: half of the traffic of a smaller one would stay in
  // the caches of a processor's core.
  std::uint64_t host_least_bytes = 16 << 20;
  // The same on a GPU, in multiples of its last-level cache.
  double gpu_least_caches = 4;
  // Matrices of a dimension that shortening leaves, in number: a batch must stay one.
  std::int64_t least_batches = 4;
  // Bytes of a side that shortening leaves: the side still has whole pages to walk across.
  std::int64_t least_side_bytes = 8192;
  // Elements of a side that shortening leaves, in number: the side still has whole tiles.
  std::int64_t least_side_elements = 64;
  // Largest power of two, in bytes, that a stride keeps as a factor. Strides of larger powers meet
  // in the same sets of every cache and in the same memory channels.
  std::int64_t widest_stride_bytes = 1 << 17;
  // Factor by which a batch dimension becomes shorter in one step, as a fraction. A factor
  // near one finds a larger stand-in, in more steps.
  double batch_step = 0.75;
  // The same for the sides.
  double side_step = 0.95;
};

}  // namespace xpose
