#include "trial/in_process_runner.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "trial/buffer_pairs.hpp"

namespace xpose {
namespace {

// Events resolve half a microsecond and a launch is a few: longer samples on CUDA.
constexpr double kHostSampleSeconds = 100e-6;
constexpr double kCudaSampleSeconds = 500e-6;
// A launch of as many samples' length is long: it is timed alone, once.
constexpr double kLongLaunchSamples = 10;
// A candidate that takes as many times the fastest so far when it is verified has lost.
constexpr double kFarSlower = 3;

// Elements that are changed before a sample and looked at after it, over all its calls: who leaves
// out a 16th of the output is found by 99.97 % of the samples. A call has some of them.
constexpr int kSpotsOfSample = 128;
constexpr int kLeastSpots = 3;
// A share of the fastest copy that is doubted, and how much longer a single call may take that
// confirms it.
constexpr double kSuspiciousShare = 1.1;
constexpr double kDisagreement = 2;

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Of a variant that its quote accepted.
Outcome broken_promise(const Error& error) {
  Outcome outcome = outcome_of(error);
  if (outcome.verdict == Verdict::protocol_error)
    outcome.detail = "accepted by quote, but " + outcome.detail;
  return outcome;
}

}  // namespace

InProcessRunner::InProcessRunner(Backend& backend, const Problem& problem, unsigned threads,
                                 bool warm, AtStage at_stage)
    : backend_(backend),
      problem_(problem),
      threads_(threads),
      warm_(warm),
      at_stage_(std::move(at_stage)) {}

bool InProcessRunner::is_timed_alone() const { return !warm_ && is_cold_alone(backend_, problem_); }

std::vector<QuoteAnswer> InProcessRunner::quote(const Strategy& strategy,
                                                const std::vector<Values>& configs) {
  std::vector<QuoteAnswer> answers;
  answers.reserve(configs.size());
  for (const Values& values : configs)
    answers.push_back(xpose::quote(strategy, values, problem_, backend_.info()));
  return answers;
}

void InProcessRunner::prepare() {
  if (!arena_) arena_.emplace(backend_, problem_, pair_count(backend_, problem_, warm_));
}

InProcessRunner::Prepared& InProcessRunner::bind(const Candidate& candidate) {
  prepare();
  Prepared& prepared = prepared_[to_string(candidate.variant)];
  if (prepared.plan != nullptr) return prepared;
  at_stage("create");
  prepared.plan = std::make_unique<BoundPlan>(candidate, problem_, backend_.info(), threads_);
  return prepared;
}

// A host's cache may hold all pairs: each launch would depend on how the one before left its lines.
void InProcessRunner::clean_caches(std::size_t first, int calls) {
  if (warm_) return;
  Arena& buffers = *arena_;
  if (is_timed_alone()) return backend_.clean_cache({buffers.in_buffer(0), buffers.out_buffer(0)});
  const std::size_t sets = std::min(static_cast<std::size_t>(calls), buffers.sets());
  for (std::size_t i = 0; i < sets; ++i) {
    const std::size_t set = (first + i) % buffers.sets();
    backend_.drop_lines(buffers.in_buffer(set));
    backend_.drop_lines(buffers.out_buffer(set));
  }
}

void InProcessRunner::mend() {
  if (!is_disturbed_) return;
  for (std::size_t set = 0; set < arena_->sets(); ++set) arena_->restore(set);
  is_disturbed_ = false;
}

void InProcessRunner::launch(const Candidate& candidate, const BoundPlan& plan, void* workspace,
                             std::size_t set) {
  if (candidate.role == Role::copy)
    plan.launch(arena_->copy_in(set), arena_->copy_out(set), workspace, nullptr);
  else
    plan.launch(arena_->in(set), arena_->out(set), workspace, nullptr);
}

Outcome InProcessRunner::verify(const Candidate& candidate) {
  try {
    backend_.make_current();
    Prepared& prepared = bind(candidate);
    Arena& buffers = *arena_;
    buffers.hold(candidate.role == Role::numeric ? Content::numbers : Content::bits);
    mend();
    // A launch that serves each pair of buffers once has served that one.
    const std::size_t set = prepared.timed_set ? *prepared.timed_set : next_set_++ % buffers.sets();
    buffers.poison(set);
    void* workspace = buffers.workspace(candidate.workspace_bytes);
    const Spots spots = buffers.spots(
        candidate.role == Role::copy ? Arena::Launched::copy : Arena::Launched::transpose, set, 1,
        kSpotsOfSample);
    backend_.synchronize();
    at_stage("launch");
    const double begin = seconds_now();
    launch(candidate, *prepared.plan, workspace, set);
    const bool is_written = buffers.is_written(spots);  // as whoever reads the output next sees it
    backend_.synchronize();
    prepared.verified_seconds = seconds_now() - begin;
    at_stage("check");
    Outcome outcome =
        candidate.role == Role::copy ? buffers.check_copy(set) : buffers.check_transpose(set);
    if (outcome.verdict == Verdict::ok && !is_written)
      outcome = {Verdict::wrong_result, "part of the output was written after launch had returned"};
    if (outcome.verdict != Verdict::ok) buffers.restore(set);
    if (!std::exchange(prepared.destroyed_one, true)) {
      at_stage("destroy");  // part of what is tried; the next plan is kept
      std::exchange(prepared.plan, nullptr)->destroy();
    }
    return outcome;
  } catch (const Error& error) {
    is_disturbed_ = arena_.has_value();
    return broken_promise(error);
  }
}

Outcome InProcessRunner::examine(const Candidate& candidate) {
  try {
    backend_.make_current();
    const Prepared& prepared = bind(candidate);
    if (!examination_) examination_.emplace(backend_, problem_);
    return examination_->examine(candidate, *prepared.plan,
                                 [this](std::string_view stage) { at_stage(stage); });
  } catch (const Error& error) {
    return broken_promise(error);
  }
}

Outcome InProcessRunner::timed_calls(const Candidate& candidate, Prepared& prepared, int calls,
                                     bool calls_are_long, double& seconds) {
  Arena& buffers = *arena_;
  const bool on_host = problem_.device.kind == DeviceKind::host;
  const auto launched =
      candidate.role == Role::copy ? Arena::Launched::copy : Arena::Launched::transpose;
  void* workspace = buffers.workspace(candidate.workspace_bytes);
  const auto call = [&] {
    launch(candidate, *prepared.plan, workspace, next_set_++ % buffers.sets());
  };
  const int sets = static_cast<int>(std::min<std::size_t>(buffers.sets(), Spots::kMostPairs));
  // A GPU's launches are too short to be timed one by one where all are on one pair.
  const bool one_pair_often = !on_host && sets == 1 && !prepared.one_by_one;
  int at_once = one_pair_often ? calls : std::min(calls, sets);
  if (one_pair_often && problem_.in_place) at_once |= 1;  // an even number would put all back
  const auto of_set =
      static_cast<std::uint32_t>(std::max<int>(kLeastSpots, (kSpotsOfSample + calls - 1) / calls));
  int done = 0;
  seconds = 0;
  for (; done < calls; done += at_once) {
    Spots spots;
    const auto before = [&] {
      spots = buffers.change_spots(
          buffers.spots(launched, next_set_ % buffers.sets(),
                        static_cast<std::size_t>(std::min(at_once, sets)), of_set),
          random_());
      clean_caches(next_set_, at_once);
    };
    seconds += backend_.seconds(at_once, call, calls_are_long, before);
    Outcome outcome = buffers.check_spots(spots, launched);
    if (outcome.verdict == Verdict::ok) continue;
    for (std::size_t set = 0; set < buffers.sets(); ++set) buffers.restore(set);
    return outcome;
  }
  seconds /= done;
  prepared.timed_set = (next_set_ - 1) % buffers.sets();
  return {};
}

Sample InProcessRunner::time(const Candidate& candidate) {
  try {
    backend_.make_current();
    Prepared& prepared = bind(candidate);
    // Arithmetic on bits that are denormal numbers would be slow; what only moves does not mind.
    if (candidate.role == Role::numeric) arena_->hold(Content::numbers);
    mend();
    at_stage("time");
    const bool on_host = problem_.device.kind == DeviceKind::host;
    const double wanted = on_host ? kHostSampleSeconds : kCudaSampleSeconds;
    const bool is_long = prepared.verified_seconds > kLongLaunchSamples * wanted;
    double& fastest = fastest_[candidate.role != Role::transpose ? 1 : 0];
    // On CUDA the first launch of a kernel also loads it: there it proves nothing.
    const bool has_lost = is_long && prepared.verified_seconds > kFarSlower * fastest;
    if (!std::exchange(prepared.was_timed, true) && on_host && has_lost)
      return {{}, prepared.verified_seconds};
    double once = 0;
    Outcome outcome;
    if (is_timed_alone()) {
      prepared.calls = 1;
    } else if (prepared.calls == 0) {
      outcome = timed_calls(candidate, prepared, 1, has_lost, once);
      once = std::max(once, 1e-7);
      prepared.calls = std::clamp(static_cast<int>(std::ceil(wanted / once)), 1, 10000);
    } else if (warm_ && on_host && !has_lost) {
      // The caches are as the one timed before left them, without the output it may be.
      launch(candidate, *prepared.plan, arena_->workspace(candidate.workspace_bytes), 0);
    }
    if (once < wanted && outcome.verdict == Verdict::ok)
      outcome = timed_calls(candidate, prepared, prepared.calls, false, once);
    if (outcome.verdict != Verdict::ok) return {outcome, 0};
    fastest = std::min(fastest, once);
    if (candidate.role == Role::copy) fastest_copy_ = std::min(fastest_copy_, once);
    return is_suspect(candidate, prepared, once) ? time_under_suspicion(candidate, prepared, once)
                                                 : Sample{{Verdict::ok, prepared.note}, once};
  } catch (const Error& error) {
    is_disturbed_ = arena_.has_value();
    return {broken_promise(error), 0};
  }
}

bool InProcessRunner::is_suspect(const Candidate& candidate, const Prepared& prepared,
                                 double seconds) const {
  return candidate.role == Role::transpose && !prepared.is_cleared && fastest_copy_ != kInfinity &&
         seconds * kSuspiciousShare < fastest_copy_;
}

// Call by call, into output of which nothing is right, and all of the last one is compared.
Sample InProcessRunner::time_under_suspicion(const Candidate& candidate, Prepared& prepared,
                                             double seconds) {
  Arena& buffers = *arena_;
  prepared.is_cleared = true;
  prepared.one_by_one = true;
  const std::size_t set = next_set_ % buffers.sets();
  void* workspace = buffers.workspace(candidate.workspace_bytes);
  const auto before = [&] {
    buffers.poison(set);
    clean_caches(set, 1);
  };
  const auto call = [&] { launch(candidate, *prepared.plan, workspace, set); };
  const double again = backend_.seconds(1, call, false, before);
  const Outcome outcome = buffers.check_transpose(set);
  if (outcome.verdict != Verdict::ok) {
    buffers.restore(set);
    return {outcome, 0};
  }
  prepared.one_by_one = again > kDisagreement * seconds;
  prepared.note =
      "faster than every copy: timed again on a poisoned output, which was right after "
      "it";
  if (!prepared.one_by_one) return {{Verdict::ok, prepared.note}, seconds};
  prepared.calls = 0;
  prepared.note += "; from then on by single calls, since those take longer";
  return {{Verdict::ok, prepared.note}, again};
}

}  // namespace xpose
