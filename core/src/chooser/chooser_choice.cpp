// How the chooser comes to a choice: by what is known, by measuring, or by an estimate.
#include <algorithm>
#include <iterator>
#include <mutex>
#include <utility>

#include "cache/decision.hpp"
#include "chooser/chooser.hpp"
#include "chooser/turn.hpp"
#include "device/device.hpp"
#include "problem/normal_form.hpp"

namespace xpose {
namespace {

bool is_interrupted(const TuneOptions& options) {
  return options.interrupted && options.interrupted();
}

// The kind of a choice that failed: what proves most against the strategies.
ErrorKind worse(ErrorKind kind, Verdict verdict) {
  if (verdict == Verdict::no_memory)
    return kind == ErrorKind::no_strategy ? ErrorKind::no_memory : kind;
  if (verdict == Verdict::device_error) return kind == ErrorKind::wrong ? kind : ErrorKind::device;
  return ErrorKind::wrong;
}

// Why no variant was kept, from the trials themselves.
[[noreturn]] void throw_no_winner(const Catalog& offered, const TuneReport& report) {
  std::string why;
  ErrorKind kind = ErrorKind::no_strategy;
  for (const Trial& trial : report.trials) {
    if (trial.role != Role::transpose || trial.verdict == Verdict::ok) continue;
    if (trial.verdict != Verdict::unsupported) kind = worse(kind, trial.verdict);
    why += "; " + to_string(trial.variant) + ": " + std::string(to_string(trial.verdict)) +
           (trial.detail.empty() ? "" : " (" + trial.detail + ')');
  }
  if (why.empty()) throw not_offered(offered, "a strategy for " + to_string(report.problem));
  throw Error(kind, "no strategy can transpose " + to_string(report.problem) + why);
}

}  // namespace

// Waits for other processes that measure on the device.
std::unique_ptr<const DeviceLock> Chooser::lock(const Problem& normal, const TuneOptions& options,
                                                double seconds) const {
  if (const std::string trouble = lock_folder_trouble();
      !trouble.empty() && !told_of_lock_folder_.exchange(true))
    warn(trouble);
  bool told = false;
  const auto waiting = [&] {
    if (!std::exchange(told, true))
      warn("another process measures on " + to_string(normal.device) + "; waiting for it");
    return !is_interrupted(options);
  };
  auto held =
      std::make_unique<const DeviceLock>(backend(normal.device).info().id, seconds, waiting);
  if (!held->trouble().empty()) warn(held->trouble());
  return held;
}

Candidate Chooser::estimate(Desk& desk, const Problem& normal, const TuneOptions& options) {
  const Catalog& offered = registry_.described(desk.admission, Shipped::believed);
  const std::unique_ptr<TrialRunner> quoter =
      make_runner_(desk.worker, offered, normal, options.warm);
  std::vector<const Strategy*> asked;  // no plugin is loaded for what cannot be chosen
  std::ranges::copy_if(offered.strategies, std::back_inserter(asked), [](const Strategy* strategy) {
    return strategy->info.role == Role::transpose;
  });
  const std::vector<Candidate> all =
      candidates(asked, normal, backend(normal.device).info(), options, *quoter,
                 evidence(offered, normal, options));
  TuneReport report;
  report.problem = normal;
  for (const Candidate& candidate : all) {  // the most promising first
    if (candidate.outcome.verdict == Verdict::ok) return candidate;
    if (candidate.outcome.verdict == Verdict::load_refused &&
        offered.find_shipped(candidate.strategy->digest) != nullptr)
      throw Refusal{"differs from its description"};  // ask the worker
    report.trials.push_back({candidate.variant,
                             "",
                             Role::transpose,
                             candidate.outcome.verdict,
                             candidate.outcome.detail,
                             {},
                             candidate.prior_rank});
  }
  if (!offered.shipped.empty()) throw Refusal{"may differ from its description"};  // ask the worker
  throw_no_winner(offered, report);
}

// The choice of this engine or of an earlier process.
std::optional<Choice> Chooser::found(const Problem& normal, const PlanOptions& options,
                                     bool or_estimate) {
  if (!is_whole(options.tune)) return std::nullopt;
  if (auto choice = choices_.find(normal, options.tune, or_estimate)) return choice;
  if (!recalls()) return std::nullopt;
  const std::lock_guard lock(asking_.mutex);
  if (auto choice = choices_.find(normal, options.tune, false))
    return choice;  // another thread asked
  auto choice = retried(asking_, [&] { return recall(asking_, normal, options.tune); });
  if (choice) choices_.keep(normal, options.tune, *choice);
  return choice;
}

// The choice of another process in place of a provisional one, unless it still is provisional.
std::optional<Choice> Chooser::improved_elsewhere(const Problem& normal,
                                                  const TuneOptions& options) {
  const std::lock_guard lock(asking_.mutex);
  auto choice = retried(asking_, [&] { return recall(asking_, normal, options); });
  if (!choice || choice->is_provisional) return std::nullopt;
  return choices_.keep(normal, options, *choice);
}

// Nothing where the budget ends before it is this one's turn to measure, or the caller ends it.
std::optional<Choice> Chooser::measured(const Problem& normal, const PlanOptions& options,
                                        Which which) {
  const double end = steady_seconds() + options.tune.budget_seconds;
  const Turn turn(measuring_.mutex, options.tune.budget_seconds, options.tune.interrupted);
  if (!turn.is_granted()) return std::nullopt;
  const auto held = lock(normal, options.tune, end - steady_seconds());
  if (!held->held() && held->waited()) return std::nullopt;
  if (!turn.is_at_once() || held->waited())  // for one who may have measured the same
    if (auto choice = which == Which::untried ? improved_elsewhere(normal, options.tune)
                                              : found(normal, options, false))
      return choice;
  if (auto choice = confirmed(normal, options.tune)) return choice;
  TuneOptions rest = options.tune;
  rest.budget_seconds = std::max(end - steady_seconds(), 0.0);
  return retried(measuring_, [&]() -> std::optional<Choice> {
    const auto [report, winner] = measure(measuring_, normal, rest, which);
    if (report.interrupted) return std::nullopt;  // what was tried so far may be the slowest
    if (which == Which::untried && (!winner || report.is_estimate)) return std::nullopt;
    if (!winner) throw_no_winner(registry_.described(measuring_.admission), report);
    return choices_.keep(normal, options.tune,
                         {bind(measuring_, *winner, normal), report.is_estimate});
  });
}

std::optional<Choice> Chooser::confirmed_in_turn(const Problem& normal,
                                                 const TuneOptions& options) {
  const Turn turn(measuring_.mutex, kUntilGranted, options.interrupted);
  if (!turn.is_granted()) return std::nullopt;
  const auto held = lock(normal, options, options.budget_seconds);
  if (!held->held() && held->waited()) return std::nullopt;
  return confirmed(normal, options);
}

// The standing choice, unless what it left untried is better. It needs no better one.
Choice Chooser::improved(const Choice& standing, const Problem& normal,
                         const PlanOptions& options) {
  try {
    return measured(normal, options, Which::untried).value_or(standing);
  } catch (const Error&) {
    return standing;
  }
}

Choice Chooser::choose(const Problem& normal, const PlanOptions& options) {
  require_offered(options.tune.variants, normal.device);
  const Policy policy = imposed_.value_or(options.policy);
  const bool measures = policy == Policy::measure && options.tune.budget_seconds > 0;
  const bool guesses = !measures && policy != Policy::cached_only;
  if (auto choice = found(normal, options, guesses))
    return measures && choice->is_provisional && choices_.claim_improvement(normal, options.tune)
               ? improved(*choice, normal, options)
               : *choice;
  if (!measures && !guesses) {
    if (imported(normal, options.tune))
      if (auto choice = confirmed_in_turn(normal, options.tune)) return *choice;
    throw Error(ErrorKind::no_strategy,
                "no measured choice is known for " + to_string(normal) + "; tune it first, or " +
                    (imposed_ ? "unset XPOSE_POLICY" : "plan with another policy"));
  }
  if (measures) {
    if (subject_of(normal, options.tune).problem)
      if (auto choice = measured(normal, options, Which::all)) return *choice;
    if (auto choice = found(normal, options, true)) return *choice;  // estimated before
  }
  const std::lock_guard lock(asking_.mutex);
  return retried(asking_, [&] {
    const Candidate guess = estimate(asking_, normal, options.tune);
    return choices_.keep(normal, options.tune, {bind(asking_, guess, normal), true});
  });
}

}  // namespace xpose
