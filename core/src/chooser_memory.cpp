// What the chooser knows from before: decisions, and what predictions proved worth.
#include <algorithm>
#include <utility>

#include "cache/decision.hpp"
#include "chooser.hpp"
#include "device/device.hpp"
#include "problem/normal_form.hpp"

namespace xpose {
namespace {

constexpr std::int64_t most_improvements = 3;  // of a provisional decision

}  // namespace

CacheKey Chooser::key_for(const Problem& normal, const TuneOptions& options,
                          const Catalog& offered) const {
  return key_of(normal, backend(normal.device).info(), offered.digest, threads_, options.warm);
}

// Installed beside the library, or the same content elsewhere.
bool Chooser::is_shipped(const Catalog& offered, const std::string& digest) {
  const PluginInfo* plugin = offered.find(digest);
  std::error_code ignored;
  if (plugin != nullptr &&
      plugin->file.parent_path() ==
          std::filesystem::weakly_canonical(installed_folder() / "plugins", ignored))
    return true;
  const std::lock_guard lock(catalogs_mutex_);
  if (!shipped_) shipped_ = shipped_digests(cache_);
  return shipped_->contains(digest);
}

Evidence Chooser::evidence(const Catalog& offered) {
  Evidence known;
  known.trust = [this, &offered](const Strategy& strategy) {
    return trust_of(cache_.find_errors(strategy.digest, strategy.info.name),
                    is_shipped(offered, strategy.digest));
  };
  return known;
}

// A decision whose winner is there, out of quarantine, and may be chosen: whoever wrote the file.
std::optional<Chooser::Remembered> Chooser::remembered(Desk& desk, const Problem& normal,
                                                       const TuneOptions& options) {
  const Catalog& offered = catalog();
  std::optional<Decision> decision = cache_.find(key_for(normal, options, offered));
  if (!decision) return std::nullopt;
  const PluginInfo* plugin = offered.find(decision->digest);
  if (plugin == nullptr || !plugin->refused.empty() ||
      cache_.find_quarantine(decision->digest, decision->winner.strategy))
    return std::nullopt;
  const PluginInfo info =
      desk.admission.describe(plugin->file, plugin->digest, offered.find_shipped(plugin->digest));
  for (const StrategyInfo& strategy : info.strategies)
    if (strategy.name == decision->winner.strategy && may_be_chosen(strategy, normal.device)) try {
        Values values = values_of(strategy, decision->winner.config);
        return Remembered{
            offered, std::move(*decision), {strategy, plugin->digest, nullptr}, std::move(values)};
      } catch (const Error&) {  // not a config of this plugin
        return std::nullopt;
      }
  return std::nullopt;
}

// What an earlier process measured here, in buffers of this alignment or else of the nearest.
std::optional<Choice> Chooser::recall(Desk& desk, const Problem& normal,
                                      const TuneOptions& options) {
  for (const Problem& alike : alike_in_alignment(normal)) {
    const auto found = remembered(desk, alike, options);
    if (!found || found->decision.imported) continue;
    const Decision& decision = found->decision;
    try {
      Choice choice{bind(desk, candidate_of(found->strategy, found->values, {}), normal)};
      choice.is_provisional =
          alike == normal && decision.untried > 0 && decision.improvements < most_improvements;
      return choice;
    } catch (const Error&) {  // its quote has changed its mind, or declines this alignment
    }
  }
  return std::nullopt;
}

// Whether somebody else's choice waits to be verified.
bool Chooser::is_imported(const Problem& normal, const TuneOptions& options) {
  if (!is_whole(options)) return false;
  const auto decision = cache_.find(key_for(normal, options, catalog()));
  return decision && decision->imported;
}

// [measuring_ held] What another machine measured, once its winner was right here, in a worker, on
// the problem or what stands in for it.
std::optional<Choice> Chooser::confirmed(const Problem& normal, const TuneOptions& options) {
  if (!is_imported(normal, options)) return std::nullopt;
  return retried(measuring_, [&]() -> std::optional<Choice> {
    const auto found = remembered(measuring_, normal, options);
    if (!found || !found->decision.imported) return std::nullopt;
    const TrialSubject subject = subject_of(normal, options);
    if (!subject.problem) return std::nullopt;
    const auto trials = runner(measuring_, found->offered, *subject.problem, options);
    try {
      const Candidate winner = candidate_of(found->strategy, found->values,
                                            trials->quote(found->strategy, {found->values}).at(0));
      if (winner.outcome.verdict != Verdict::ok) return std::nullopt;
      trials->prepare();
      if (trials->verify(winner).verdict != Verdict::ok) return std::nullopt;
      Choice choice{bind(measuring_, winner, normal)};
      if (auto decision = cache_.find_standing(found->decision.key)) {
        decision->imported = false;
        cache_.store(*decision);
      }
      return keep(normal, options, choice);
    } catch (const Error&) {  // no memory to verify it, or its quote has changed its mind
      return std::nullopt;
    }
  });
}

}  // namespace xpose
