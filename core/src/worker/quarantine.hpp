// Plugins and strategies that ended a worker. The same bad end twice is a plugin's doing: a machine
// may be out of memory once, or a neighbour may have broken the worker.
#pragma once

#include <optional>
#include <string>

#include "cache/cache.hpp"
#include "strategy/outcome.hpp"
#include "worker/worker.hpp"

namespace xpose {

// Ends that say nothing against the plugin, or are no end at all.
bool is_innocent(Verdict verdict);

// Ends of which a second attempt would say nothing new: the plugin answered.
bool is_answer(Verdict verdict);

// Attempts what may end the worker, `attempt(again)`, and after a bad end once more, in a worker
// that has met nothing else. Where the end is the same, `convict(outcome)`. The outcome of the
// first attempt, or ok.
template <class Attempt, class Convict>
Outcome attempt_twice(Worker& worker, const Attempt& attempt, const Convict& convict) {
  Outcome first = attempt(false);
  if (is_answer(first.verdict)) return first;
  worker.end();
  Outcome second = attempt(true);
  worker.end();
  if (second.verdict == Verdict::ok) return second;
  if (second.verdict == first.verdict && !is_innocent(first.verdict)) convict(first);
  return first;
}

// Remembers the row, from now on, and warns of it. The row as it is remembered.
Quarantine put_in_quarantine(Cache& cache, const Warn& warn, Quarantine row);

// The same for an end that came twice in this worker. None where it proves nothing: a timeout in a
// worker that is less patient than the default, or any end under a limit on memory.
std::optional<Quarantine> convict(const Worker& worker, Cache& cache, const Warn& warn,
                                  Quarantine row);

// "in quarantine since DATE TIME UTC: WORDS; rebuild its plugin, or `xpose cache forget ...`"
std::string describe(const Quarantine& quarantine);

}  // namespace xpose
