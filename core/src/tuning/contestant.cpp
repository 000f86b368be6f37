#include "tuning/contestant.hpp"

#include <limits>

#include "tuning/sample_statistics.hpp"

namespace xpose {

Contestant::Contestant(const Candidate& candidate)
    : candidate(&candidate),
      trial{.variant = candidate.variant,
            .launch = candidate.launch,
            .role = candidate.role,
            .detail = {},
            .timing = {},
            .prior_rank = candidate.prior_rank} {
  if (candidate.predicted != kNotPredicted) trial.predicted_share = 1 / candidate.predicted;
  trial.discount = candidate.trust.discount.value_or(0);
}

double Contestant::median() const { return quantile(seconds, 0.5); }

double Contestant::judged_seconds(int samples_for_median) const {
  return quantile(seconds, std::ssize(seconds) < samples_for_median ? 0 : 0.5);
}

void Contestant::keep(double sample) {
  seconds.push_back(sample);
  rounds.push_back(sample);
}

void Contestant::discard_last() {
  seconds.pop_back();
  rounds.back() = std::numeric_limits<double>::quiet_NaN();
}

namespace {

template <class Counts>
Contestant* fastest_where(std::span<Contestant> contestants, const Counts& counts) {
  Contestant* best = nullptr;
  for (Contestant& contestant : contestants)
    if (contestant.racing && counts(contestant) &&
        (best == nullptr || contestant.median() < best->median()))
      best = &contestant;
  return best;
}

}  // namespace

Contestant* fastest_of(std::span<Contestant> contestants, bool references) {
  return fastest_where(contestants, [&](const Contestant& contestant) {
    return contestant.is_reference() == references;
  });
}

Contestant* fastest_copy_of(std::span<Contestant> contestants) {
  return fastest_where(contestants, [](const Contestant& contestant) {
    return contestant.candidate->role == Role::copy;
  });
}

}  // namespace xpose
