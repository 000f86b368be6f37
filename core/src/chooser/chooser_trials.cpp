// The chooser's trials: the problem that they run on, and the strategies.
#include <algorithm>
#include <utility>

#include "cache/decision.hpp"
#include "chooser/chooser.hpp"
#include "chooser/turn.hpp"
#include "device/device.hpp"
#include "problem/normal_form.hpp"
#include "trial/arena.hpp"
#include "tuning/race.hpp"

namespace xpose {
namespace {

std::uint64_t moved_bytes(const Problem& normal) {
  return 2 * static_cast<std::uint64_t>(element_count(normal)) * normal.element_bytes;
}

// CUDA strategies that a machine without a device cannot try, so that a report shows them.
void list_unreachable(const Catalog& catalog, const Problem& problem, TuneReport& report) {
  const std::string reason = cuda_unavailable_reason();
  if (problem.device.kind != DeviceKind::host || reason.empty()) return;
  for (const Strategy* strategy : catalog.strategies) {
    if (strategy->info.device_kind != DeviceKind::cuda) continue;
    Trial trial;
    trial.variant.strategy = strategy->info.name;
    trial.role = strategy->info.role;
    trial.verdict = Verdict::unsupported;
    trial.detail = reason;
    trial.prior_rank = strategy->info.prior_rank;
    report.trials.push_back(std::move(trial));
  }
}

// A variant that is tried on one problem must serve the other as well.
void decline_unless_both(Candidate& candidate, const std::vector<Candidate>& on_whole) {
  const auto whole = std::ranges::find(on_whole, candidate.variant, &Candidate::variant);
  const bool declined = whole == on_whole.end() || whole->outcome.verdict != Verdict::ok;
  if (candidate.outcome.verdict == Verdict::ok && declined)
    candidate.outcome =
        whole == on_whole.end()
            ? Outcome{Verdict::unsupported, "has no such config for the whole problem"}
            : whole->outcome;
  else if (candidate.outcome.verdict == Verdict::unsupported && !declined)
    candidate.outcome.detail = "declines the stand-in: " + candidate.outcome.detail;
}

}  // namespace

TrialSubject Chooser::subject_of(const Problem& normal, const TuneOptions& options,
                                 std::optional<std::uint64_t> free_bytes) const {
  if (options.whole) return {normal, ""};
  Backend& device = backend(normal.device);
  // A GPU is not asked before its memory proved too small: asking starts it in this process.
  if (!free_bytes)
    free_bytes =
        normal.device.kind == DeviceKind::host ? device.free_bytes() : device.info().memory_bytes;
  DeviceInfo info = device.info();
  if (normal.device.kind == DeviceKind::host) info.multiprocessors = threads_;
  return trial_subject(normal, info, options.budget_seconds, *free_bytes);
}

TuneReport Chooser::interrupted_report(const Problem& normal) {
  TuneReport nothing;
  nothing.problem = normal;
  nothing.bytes = moved_bytes(normal);
  nothing.interrupted = true;
  return nothing;
}

Chooser::Race Chooser::measure(Desk& desk, const Problem& normal, const TuneOptions& options,
                               Which which) {
  if (options.interrupted && options.interrupted())  // while it waited: nobody is disturbed
    return {interrupted_report(normal), std::nullopt};
  TrialSubject subject = subject_of(normal, options);
  for (;;) try {
      if (!subject.problem) return estimate_instead(desk, normal, subject.why, options);
      return try_on(desk, normal, subject, options, which);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::no_memory || options.whole || !subject.problem) throw;
      // There was less than was said: half as much is tried, and in the end nothing.
      const std::uint64_t failed = Arena::footprint(*subject.problem, 1);
      subject =
          subject_of(normal, options, std::min(backend(normal.device).free_bytes(), failed / 2));
    }
}

std::vector<Candidate> Chooser::candidates_of_both(Desk& desk, const Catalog& offered,
                                                   const Problem& normal, const Problem& tried,
                                                   TrialRunner& trials, const TuneOptions& options,
                                                   const Evidence& known) {
  const DeviceInfo& device = backend(normal.device).info();
  std::vector<Candidate> all =
      candidates(offered.strategies, tried, device, options, trials, known);
  if (tried == normal) return all;
  const std::unique_ptr<TrialRunner> quoter =
      make_runner_(desk.worker, offered, normal, options.warm);
  const std::vector<Candidate> on_whole =
      candidates(offered.strategies, normal, device, options, *quoter, known);
  for (Candidate& candidate : all) decline_unless_both(candidate, on_whole);
  return all;
}

Chooser::Race Chooser::try_on(Desk& desk, const Problem& normal, const TrialSubject& subject,
                              const TuneOptions& options, Which which) {
  const Problem& tried = *subject.problem;
  const Catalog& offered = registry_.described(desk.admission);
  const std::unique_ptr<TrialRunner> trials =
      make_runner_(desk.worker, offered, tried, options.warm);
  const CacheKey key = key_for(normal, options, offered);
  const auto standing = is_whole(options) ? cache_.find_standing(key) : std::nullopt;
  const bool improves = standing && standing->key == key && standing->untried > 0 &&
                        !standing->imported &&
                        standing->stand_in == (tried == normal ? "" : key_anywhere(tried));
  if (which == Which::untried && !improves) return {};  // what is left of the budget is for less
  Evidence known = evidence(offered, normal, options);
  if (standing) known.standing = standing->winner;
  if (improves)
    for (const CachedTrial& trial : standing->trials) known.tried.insert(trial.variant.strategy);
  std::vector<Candidate> all =
      candidates_of_both(desk, offered, normal, tried, *trials, options, known);
  if (which == Which::untried)
    std::erase_if(all, [&](const Candidate& candidate) {
      return candidate.role != Role::copy && !candidate.is_favourite &&
             known.tried.contains(candidate.variant.strategy);
    });
  TuneReport report = race(all, moved_bytes(tried), *trials, steady_seconds, options);
  report.problem = normal;
  if (tried != normal) report.stand_in = tried;
  report.why_not_whole = subject.why;
  std::optional<Candidate> winner;
  if (report.winner) {
    winner = *std::ranges::find(all, report.trials[*report.winner].variant, &Candidate::variant);
    if (is_whole(options) && !report.interrupted) {
      cache_.store(decision_of(key, report, all, improves ? &*standing : nullptr));
      cache_.store(predictions_of(key, report, all));
    }
  }
  list_unreachable(offered, normal, report);
  return {std::move(report), std::move(winner)};
}

Chooser::Race Chooser::estimate_instead(Desk& desk, const Problem& normal, const std::string& why,
                                        const TuneOptions& options) {
  const double begin = steady_seconds();
  Candidate guess = estimate(desk, normal, options);
  TuneReport report;
  report.problem = normal;
  report.bytes = moved_bytes(normal);
  report.trials.push_back({.variant = guess.variant,
                           .launch = guess.launch,
                           .detail = {},
                           .timing = {},
                           .prior_rank = guess.prior_rank});
  report.winner = report.estimate = 0;
  report.is_estimate = true;
  report.why_not_whole = why;
  report.seconds = steady_seconds() - begin;
  return {std::move(report), std::move(guess)};
}

}  // namespace xpose
