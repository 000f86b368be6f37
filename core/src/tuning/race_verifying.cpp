#include <set>

#include "tuning/race_stages.hpp"

namespace xpose {

// The fastest whatever the time, of transposes and of references; the others while the budget
// lasts, or they are out of the race.
void Race::verify_again() {
  std::set<const Contestant*> verified;
  const auto verify_one = [&](Contestant& contestant) {
    if (verified.insert(&contestant).second)
      record(contestant, trials_.verify(*contestant.candidate));
  };
  const auto verify = [&] {
    for (const bool references : {true, false})
      for (Contestant* best = fastest(references); best != nullptr && !verified.contains(best);
           best = fastest(references))
        verify_one(*best);
    for (Contestant& contestant : contestants_) {
      if (!contestant.racing || verified.contains(&contestant)) continue;
      if (clock_() - asked_ < options_.budget_seconds)
        verify_one(contestant);
      else
        contestant.racing = false;
    }
  };
  verify();
  if (fastest(false) != nullptr) return;
  // All that raced to the end turned out wrong: what they had left behind is back in.
  for (Contestant& contestant : contestants_)
    contestant.racing = contestant.trial.verdict == Verdict::ok && !contestant.seconds.empty();
  verify();
}

}  // namespace xpose
