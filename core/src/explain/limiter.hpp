// The limiter: the cost that keeps a strategy from the roof.
#pragma once

#include <string>

#include "xpose/explain.hpp"

namespace xpose {

enum class Limiter {
  wrong,              // the kernel is: its speed means nothing
  uncoalesced_loads,  // global accesses that move more sectors than their bytes fill
  uncoalesced_stores,
  bank_conflicts,
  bytes_in_flight,  // too few to cover the latency of memory
  instructions,
  roof,     // memory itself
  unknown,  // neither simulator nor counters
};

// Weighs what each part of a multiprocessor has to do beyond what the problem needs: the L2's
// sectors, the wavefronts of shared memory, the instructions, and what must be under way.
Limiter limiter_of(const Explanation& told);

// The closing paragraph: names the limiter with the figures that show it, and what else is in the
// way, and says why simulator and counters differ where they do.
std::string limiter_words(const Explanation& told);

}  // namespace xpose
