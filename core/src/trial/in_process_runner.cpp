#include "trial/in_process_runner.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "problem/normal_form.hpp"

namespace xpose {
namespace {

// Events resolve half a microsecond and a launch is a few: longer samples on CUDA.
constexpr double host_sample_seconds = 100e-6;
constexpr double cuda_sample_seconds = 500e-6;
// A launch of as many samples' length is long: it is timed alone, once.
constexpr double long_launch_samples = 10;
// What takes as many times the fastest so far when it is verified has lost.
constexpr double far_slower = 3;
// On CUDA a pair of buffers of as many times the cache leaves nothing of its beginning there.
constexpr std::uint64_t cold_pair_caches = 8;
// On the host a call that touches so much is timed alone, after the cache was cleaned.
constexpr std::uint64_t alone_bytes = 4 << 20;

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Of a pair, a transpose in place touches one buffer.
std::uint64_t touched_bytes(const Problem& problem) {
  const std::uint64_t pair = Arena::footprint(problem, 1);
  return problem.in_place ? pair / 2 : pair;
}

bool is_timed_alone(const Problem& problem) {
  return problem.device.kind == DeviceKind::host && touched_bytes(problem) > alone_bytes;
}

std::size_t set_count(Backend& backend, const Problem& problem, bool warm) {
  const std::uint64_t least = Arena::footprint(problem, 1);
  if (const std::uint64_t free = backend.free_bytes(); least > free)
    throw Error(
        ErrorKind::no_memory,
        "trying strategies on " + to_string(problem) + " takes buffers of " +
            std::to_string(least) + " bytes, but " + std::to_string(free) +
            " bytes are free; plan it with Policy::estimate, or `xpose run --strategy NAME`");
  if (warm || is_timed_alone(problem)) return 1;
  const std::uint64_t touched = touched_bytes(problem);
  const std::uint64_t cache = backend.info().cache_bytes;
  if (touched >= cold_pair_caches * cache) return 1;
  std::size_t sets = std::clamp<std::uint64_t>(4 * cache / touched + 1, 2, 64);
  while (sets > 1 && Arena::footprint(problem, sets) > backend.free_bytes() / 2) --sets;
  return sets;
}

Outcome outcome_of(const Error& error) {
  switch (error.kind()) {
    case ErrorKind::no_memory:
      return {Verdict::no_memory, error.what()};
    case ErrorKind::device:
      return {Verdict::device_error, error.what()};
    default:  // its quote lied: what it declines there never comes here
      return {Verdict::protocol_error, std::string("accepted by quote, but ") + error.what()};
  }
}

}  // namespace

InProcessRunner::InProcessRunner(Backend& backend, const Problem& problem, unsigned threads,
                                 bool warm, AtStage at_stage)
    : backend_(backend),
      problem_(problem),
      threads_(threads),
      warm_(warm),
      at_stage_(std::move(at_stage)) {}

std::vector<QuoteAnswer> InProcessRunner::quote(const Strategy& strategy,
                                                const std::vector<Values>& configs) {
  std::vector<QuoteAnswer> answers;
  answers.reserve(configs.size());
  for (const Values& values : configs)
    answers.push_back(xpose::quote(strategy, values, problem_, backend_.info()));
  return answers;
}

void InProcessRunner::prepare() {
  if (!arena_) arena_.emplace(backend_, problem_, set_count(backend_, problem_, warm_));
}

InProcessRunner::Prepared& InProcessRunner::bind(const Candidate& candidate) {
  prepare();
  Prepared& prepared = prepared_[to_string(candidate.variant)];
  if (prepared.plan != nullptr) return prepared;
  at_stage("create");
  prepared.plan = std::make_unique<BoundPlan>(candidate, problem_, backend_.info(), threads_);
  return prepared;
}

void InProcessRunner::launch(const Candidate& candidate, const BoundPlan& plan, void* workspace,
                             std::size_t set) {
  if (candidate.is_copy)
    plan.launch(arena_->copy_in(set), arena_->copy_out(set), workspace, nullptr);
  else
    plan.launch(arena_->in(set), arena_->out(set), workspace, nullptr);
}

Outcome InProcessRunner::verify(const Candidate& candidate) {
  try {
    backend_.make_current();
    Prepared& prepared = bind(candidate);
    Arena& buffers = *arena_;
    buffers.hold(candidate.is_numeric ? Content::numbers : Content::bits);
    const std::size_t set = next_set_++ % buffers.sets();
    buffers.poison(set);
    void* workspace = buffers.workspace(candidate.workspace_bytes);
    backend_.synchronize();
    at_stage("launch");
    const double begin = seconds_now();
    launch(candidate, *prepared.plan, workspace, set);
    backend_.synchronize();
    prepared.verified_seconds = seconds_now() - begin;
    at_stage("check");
    Outcome outcome = candidate.is_copy ? buffers.check_copy(set) : buffers.check_transpose(set);
    if (outcome.verdict != Verdict::ok) buffers.restore(set);
    if (!std::exchange(prepared.destroyed_one, true)) {
      at_stage("destroy");  // part of what is tried; the next plan is kept
      prepared.plan.reset();
    }
    return outcome;
  } catch (const Error& error) {
    return outcome_of(error);
  }
}

Sample InProcessRunner::time(const Candidate& candidate) {
  try {
    backend_.make_current();
    Prepared& prepared = bind(candidate);
    // Arithmetic on bits that are denormal numbers would be slow; what only moves does not mind.
    if (candidate.is_numeric) arena_->hold(Content::numbers);
    at_stage("time");
    const bool on_host = problem_.device.kind == DeviceKind::host;
    const double wanted = on_host ? host_sample_seconds : cuda_sample_seconds;
    const bool is_long = prepared.verified_seconds > long_launch_samples * wanted;
    double& fastest = fastest_[candidate.is_copy || candidate.is_numeric ? 1 : 0];
    // On CUDA the first launch of a kernel also loads it: there it proves nothing.
    const bool has_lost = is_long && prepared.verified_seconds > far_slower * fastest;
    if (prepared.calls == 0 && on_host && has_lost &&
        !std::exchange(prepared.timed_by_verification, true))
      return {{}, prepared.verified_seconds};
    void* workspace = arena_->workspace(candidate.workspace_bytes);
    const auto call = [&] {
      launch(candidate, *prepared.plan, workspace, next_set_++ % arena_->sets());
    };
    double once = 0;
    if (!warm_ && is_timed_alone(problem_)) {
      backend_.clean_cache({arena_->in_buffer(0), arena_->out_buffer(0)});
      prepared.calls = 1;
    } else if (prepared.calls == 0) {
      once = std::max(backend_.seconds(1, call, has_lost), 1e-7);
      prepared.calls = std::clamp(static_cast<int>(std::ceil(wanted / once)), 1, 10000);
    } else if (warm_ && on_host && !has_lost) {
      call();  // the caches are as the one timed before left them, without the output it may be
    }
    if (once < wanted) once = backend_.seconds(prepared.calls, call, false) / prepared.calls;
    fastest = std::min(fastest, once);
    return {{}, once};
  } catch (const Error& error) {
    return {outcome_of(error), 0};
  }
}

}  // namespace xpose
