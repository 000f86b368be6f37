#include <set>

#include "tuning/race_stages.hpp"

namespace xpose {

// The fastest transpose and the fastest reference are verified whatever the time, because the
// report rests on them. Others leave the race where the budget does not last for them.
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
      if (elapsed() < options_.budget_seconds)
        verify_one(contestant);
      else
        contestant.racing = false;
    }
  };
  const Contestant* const best = fastest(false);
  verify();
  if (best != nullptr && !best->racing && !set_aside_.empty()) {
    for (Contestant* contestant : set_aside_) contestant->racing = true;
    verify();
  }
  if (fastest(false) != nullptr) return;
  // No finalist was right: the contestants that they had beaten are back in the race.
  for (Contestant& contestant : contestants_)
    contestant.racing = contestant.trial.verdict == Verdict::ok && !contestant.seconds.empty();
  verify();
}

}  // namespace xpose
