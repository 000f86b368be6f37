// The chooser's knowledge from before: decisions, and the worth of predictions.
#include <algorithm>
#include <utility>

#include "cache/decision.hpp"
#include "chooser/chooser.hpp"
#include "device/device.hpp"
#include "problem/alignment.hpp"

namespace xpose {
namespace {

constexpr std::int64_t kMostImprovements = 3;  // of a provisional decision

}  // namespace

CacheKey Chooser::key_for(const Problem& normal, const TuneOptions& options,
                          const Catalog& offered) const {
  return key_of(normal, backend(normal.device).info(), offered.digest, threads_, options.warm);
}

Evidence Chooser::evidence(const Catalog& offered, const Problem& normal,
                           const TuneOptions& options) {
  Evidence known;
  known.trust = [this, &offered](const Strategy& strategy) {
    return trust_of(
        recalls() ? cache_.find_errors(strategy.digest, strategy.info.name) : std::vector<double>(),
        registry_.is_shipped(offered, strategy.digest));
  };
  known.table = of_tables(offered, normal, options);
  return known;
}

// The rows of tables for the problem, in buffers of this alignment or else of the nearest; of
// plugins in the version that is here.
std::vector<Variant> Chooser::of_tables(const Catalog& offered, const Problem& normal,
                                        const TuneOptions& options) {
  std::vector<Variant> variants;
  for (const Problem& alike : alike_in_alignment(normal)) {
    for (TableVariant& one : tables_.find(key_for(alike, options, offered), options.warm)) {
      const auto* const found = find_strategy(offered.strategies, one.variant.strategy);
      const PluginInfo* plugin = found == nullptr ? nullptr : offered.find((*found)->digest);
      if (plugin != nullptr && plugin->name == one.plugin && plugin->version == one.version)
        variants.push_back(std::move(one.variant));
    }
    if (!variants.empty()) break;
  }
  return variants;
}

// An earlier measurement of this machine, in buffers of this alignment or else of the nearest.
std::optional<Choice> Chooser::recall(Desk& desk, const Problem& normal,
                                      const TuneOptions& options) {
  const Catalog& offered = registry_.catalog();
  for (const Problem& alike : alike_in_alignment(normal)) {
    const auto decision = cache_.find(key_for(alike, options, offered));
    if (!decision || decision->imported) continue;
    try {
      const Registry::Offered found = registry_.offered(desk.admission, offered, decision->digest,
                                                        decision->winner, normal.device);
      Choice choice{bind(desk, candidate_of(found.strategy, found.values, {}), normal)};
      choice.is_provisional =
          alike == normal && decision->untried > 0 && decision->improvements < kMostImprovements;
      return choice;
    } catch (const Error&) {  // it is gone, its quote has changed its mind, or declines this
    }                         // alignment
  }
  return std::nullopt;
}

// Somebody else's choice that waits to be verified, for buffers of this alignment or else of the
// nearest.
std::optional<CacheKey> Chooser::imported(const Problem& normal, const TuneOptions& options) {
  if (!is_whole(options)) return std::nullopt;
  for (const Problem& alike : alike_in_alignment(normal)) {
    const CacheKey key = key_for(alike, options, registry_.catalog());
    if (const auto decision = cache_.find(key); decision && decision->imported) return key;
  }
  return std::nullopt;
}

// [measuring_ held] What another machine measured, once its winner was right here, in a worker, on
// the problem or what stands in for it. Says why where that is not used.
std::optional<Choice> Chooser::confirmed(const Problem& normal, const TuneOptions& options) {
  const std::optional<CacheKey> key = imported(normal, options);
  if (!key || !subject_of(normal, options).problem) return std::nullopt;
  return retried(measuring_, [&]() -> std::optional<Choice> {
    const Catalog& offered = registry_.catalog();
    auto decision = cache_.find_standing(*key);
    if (!decision || !decision->imported) return std::nullopt;
    try {
      Choice choice = verified(offered, *decision, normal, options);
      decision->imported = false;
      cache_.store(*decision);
      return choices_.keep(normal, options, choice);
    } catch (const Error& error) {
      warn("the imported choice of " + to_string(decision->winner) + " for " + to_string(normal) +
           " is not used: " + error.what());
      return std::nullopt;
    }
  });
}

// [measuring_ held] Throws Error where the winner is not right here, or that cannot be found out.
Choice Chooser::verified(const Catalog& offered, const Decision& decision, const Problem& normal,
                         const TuneOptions& options) {
  const TrialSubject subject = subject_of(normal, options);
  if (!subject.problem) throw Error(ErrorKind::no_memory, subject.why);  // since it was looked at
  const Registry::Offered found = registry_.offered(measuring_.admission, offered, decision.digest,
                                                    decision.winner, normal.device);
  const auto trials = make_runner_(measuring_.worker, offered, *subject.problem, options.warm);
  const Candidate winner = candidate_of(found.strategy, found.values,
                                        trials->quote(found.strategy, {found.values}).at(0));
  const auto require = [](const Outcome& outcome) {
    if (outcome.verdict != Verdict::ok)
      throw Error(ErrorKind::wrong,
                  std::string(to_string(outcome.verdict)) + ", " + outcome.detail);
  };
  require(winner.outcome);
  trials->prepare();
  require(trials->verify(winner));
  require(trials->time(winner).outcome);  // right while it is timed, and after, as in a race
  require(trials->verify(winner));
  return {bind(measuring_, winner, normal)};
}

}  // namespace xpose
