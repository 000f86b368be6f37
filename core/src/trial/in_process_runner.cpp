#include "trial/in_process_runner.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "problem/normal_form.hpp"

namespace xpose {
namespace {

// Events resolve half a microsecond and a launch is a few: longer samples on CUDA.
constexpr double host_sample_seconds = 100e-6;
constexpr double cuda_sample_seconds = 500e-6;

std::size_t set_count(Backend& backend, const Problem& problem, bool warm) {
  const std::uint64_t least = Arena::footprint(problem, 1);
  if (const std::uint64_t free = backend.free_bytes(); least > free)
    throw Error(
        ErrorKind::no_memory,
        "trying strategies on " + to_string(problem) + " takes buffers of " +
            std::to_string(least) + " bytes, but " + std::to_string(free) +
            " bytes are free; plan it with Policy::estimate, or `xpose run --strategy NAME`");
  if (warm) return 1;
  const std::uint64_t one = Arena::footprint(problem, 2) - Arena::footprint(problem, 1);
  const std::uint64_t cold = 4 * backend.info().cache_bytes / one + 1;
  std::size_t sets = std::clamp<std::uint64_t>(cold, 2, 64);
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

Arena& InProcessRunner::arena(const Candidate& candidate) {
  prepare();
  if (!candidate.is_numeric) return *arena_;
  if (!numbers_) numbers_.emplace(backend_, problem_, arena_->sets(), Content::numbers);
  return *numbers_;
}

InProcessRunner::Prepared& InProcessRunner::bind(const Candidate& candidate) {
  prepare();
  Prepared& prepared = prepared_[to_string(candidate.variant)];
  if (prepared.plan != nullptr) return prepared;
  at_stage("create");
  prepared.plan = std::make_unique<BoundPlan>(candidate, problem_, backend_.info(), threads_);
  return prepared;
}

void InProcessRunner::launch(const Candidate& candidate, const BoundPlan& plan, std::size_t set) {
  Arena& buffers = arena(candidate);
  void* workspace = buffers.workspace(candidate.workspace_bytes);
  if (candidate.is_copy)
    plan.launch(buffers.copy_in(set), buffers.copy_out(set), workspace, nullptr);
  else
    plan.launch(buffers.in(set), buffers.out(set), workspace, nullptr);
}

Outcome InProcessRunner::verify(const Candidate& candidate) {
  try {
    backend_.make_current();
    Prepared& prepared = bind(candidate);
    Arena& buffers = arena(candidate);
    const std::size_t set = next_set_++ % buffers.sets();
    buffers.poison(set);
    at_stage("launch");
    launch(candidate, *prepared.plan, set);
    backend_.synchronize();
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
    at_stage("time");
    const auto call = [&] { launch(candidate, *prepared.plan, next_set_++ % arena_->sets()); };
    if (prepared.calls == 0) {
      const double wanted =
          problem_.device.kind == DeviceKind::host ? host_sample_seconds : cuda_sample_seconds;
      const double once = std::max(backend_.seconds(1, call), 1e-7);
      if (once >= wanted) {  // one call is a sample
        prepared.calls = 1;
        return {{}, once};
      }
      prepared.calls = std::clamp(static_cast<int>(std::ceil(wanted / once)), 1, 10000);
    }
    return {{}, backend_.seconds(prepared.calls, call) / prepared.calls};
  } catch (const Error& error) {
    return {outcome_of(error), 0};
  }
}

}  // namespace xpose
