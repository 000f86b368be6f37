#include <algorithm>
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

#include "catalog.hpp"
#include "in_process_runner.hpp"
#include "normal_form.hpp"
#include "plan.hpp"
#include "tuner.hpp"

namespace xpose {
namespace {

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::vector<std::filesystem::path> folders_of(const EngineOptions& options) {
  return options.plugin_folders.empty() ? default_plugin_folders() : options.plugin_folders;
}

// CUDA strategies that a machine without a device cannot try, so that a report shows them.
void list_unreachable(const Catalog& catalog, const Problem& problem, TuneReport& report) {
  const std::string reason = cuda_unavailable_reason();
  if (problem.device.kind != DeviceKind::host || reason.empty()) return;
  for (const Strategy* strategy : catalog.strategies) {
    if (strategy->card.device_kind != XPOSE_CUDA) continue;
    Trial trial;
    trial.variant.strategy = strategy->card.name;
    trial.is_copy = strategy->card.role == XPOSE_COPY;
    trial.verdict = Verdict::unsupported;
    trial.detail = reason;
    trial.prior_rank = strategy->card.prior_rank;
    report.trials.push_back(std::move(trial));
  }
}

// Why no variant was kept, from the trials themselves.
[[noreturn]] void throw_no_winner(const TuneReport& report) {
  std::string why;
  ErrorKind kind = ErrorKind::no_strategy;
  for (const Trial& trial : report.trials) {
    if (trial.is_copy || trial.verdict == Verdict::ok) continue;
    if (trial.verdict != Verdict::unsupported) kind = ErrorKind::wrong;
    why += "; " + to_string(trial.variant) + ": " + std::string(to_string(trial.verdict)) +
           (trial.detail.empty() ? "" : " (" + trial.detail + ')');
  }
  if (why.empty()) why = "; no loaded plugin offers one, see `xpose plugins`";
  throw Error(kind, "no strategy can transpose " + to_string(report.problem) + why);
}

}  // namespace

struct Engine::Impl {
  Catalog catalog;
  unsigned threads = 1;
  std::mutex measuring;  // one tune at a time: two would measure each other
  std::shared_mutex winners_mutex;
  std::unordered_map<std::string, Candidate> winners;  // by key of the normal form

  std::optional<Candidate> known(const Problem& normal) {
    const std::shared_lock lock(winners_mutex);
    const auto found = winners.find(key(normal));
    if (found == winners.end()) return std::nullopt;
    return found->second;
  }

  void remember(const Problem& normal, const Candidate& winner) {
    const std::unique_lock lock(winners_mutex);
    winners.insert_or_assign(key(normal), winner);
  }

  TuneReport tune(const Problem& normal, const TuneOptions& options);
  Candidate estimate(const Problem& normal, const TuneOptions& options);
  Candidate choose(const Problem& normal, const PlanOptions& options);
};

// [measuring held]
TuneReport Engine::Impl::tune(const Problem& normal, const TuneOptions& options) {
  Backend& device = backend(normal.device);
  const std::vector<Candidate> all = candidates(catalog.strategies, normal, device.info(), options);
  InProcessRunner runner(device, normal, threads, options.warm);
  const std::uint64_t bytes =
      2 * static_cast<std::uint64_t>(element_count(normal)) * normal.element_bytes;
  TuneReport report = race(all, bytes, runner, steady_seconds, options);
  report.problem = normal;
  if (report.winner) {
    const Variant& won = report.trials[*report.winner].variant;
    const bool whole = options.strategies.empty() && options.config.empty() && !report.interrupted;
    for (const Candidate& candidate : all)
      if (whole && candidate.variant == won) remember(normal, candidate);
  }
  list_unreachable(catalog, normal, report);
  return report;
}

Candidate Engine::Impl::estimate(const Problem& normal, const TuneOptions& options) {
  const std::vector<Candidate> all =
      candidates(catalog.strategies, normal, backend(normal.device).info(), options);
  const Candidate* best = nullptr;
  TuneReport report;
  report.problem = normal;
  for (const Candidate& candidate : all) {
    if (!candidate.unsupported.empty())
      report.trials.push_back({candidate.variant,
                               "",
                               candidate.is_copy,
                               Verdict::unsupported,
                               candidate.unsupported,
                               {},
                               candidate.prior_rank});
    else if (!candidate.is_copy && (best == nullptr || candidate.prior_rank < best->prior_rank))
      best = &candidate;
  }
  if (best == nullptr) throw_no_winner(report);
  return *best;
}

Candidate Engine::Impl::choose(const Problem& normal, const PlanOptions& options) {
  const bool whole = options.tune.strategies.empty() && options.tune.config.empty();
  if (whole)
    if (auto winner = known(normal)) return *winner;
  if (options.policy == Policy::cached_only)
    throw Error(ErrorKind::no_strategy, "no measured choice is known for " + to_string(normal) +
                                            "; tune it first, or plan with another policy");
  if (options.policy == Policy::estimate) return estimate(normal, options.tune);
  const std::lock_guard lock(measuring);
  if (whole)  // another thread may have measured it meanwhile
    if (auto winner = known(normal)) return *winner;
  const TuneReport report = tune(normal, options.tune);
  if (!report.winner) throw_no_winner(report);
  const Variant& won = report.trials[*report.winner].variant;
  for (Candidate& candidate :
       candidates(catalog.strategies, normal, backend(normal.device).info(), options.tune))
    if (candidate.variant == won) return std::move(candidate);
  throw_no_winner(report);
}

Engine::Engine(const EngineOptions& options) : impl_(std::make_shared<Impl>()) {
  const std::vector<std::filesystem::path> folders = folders_of(options);
  impl_->catalog = scan(folders);
  impl_->threads =
      options.threads != 0 ? options.threads : backend(Device{}).info().multiprocessors;
}

const std::vector<PluginInfo>& Engine::plugins() const { return impl_->catalog.plugins; }

Plan Engine::plan(const Problem& problem, const PlanOptions& options) {
  auto made = std::make_shared<Plan::Impl>();
  made->problem = normal_form(problem);
  Backend& device = backend(problem.device);
  if (is_empty(made->problem)) return Plan(std::move(made));
  const Candidate chosen = impl_->choose(made->problem, options);
  device.make_current();
  made->variant = chosen.variant;
  made->launch = chosen.launch;
  made->bound = std::make_unique<BoundPlan>(chosen, made->problem, device.info(), impl_->threads);
  made->workspaces = std::make_unique<Workspaces>(device, chosen.workspace_bytes);
  made->backend = &device;
  made->switch_device = problem.device.kind == DeviceKind::cuda && cuda_backends().size() > 1;
  // The caller's promise is about the base address; rows may be aligned to less.
  made->in_mask = std::min<std::uint32_t>(problem.in_alignment, 256) - 1;
  made->out_mask = std::min<std::uint32_t>(problem.out_alignment, 256) - 1;
  made->in_bytes = static_cast<std::uint64_t>(in_span(made->problem)) * made->problem.element_bytes;
  made->out_bytes =
      static_cast<std::uint64_t>(out_span(made->problem)) * made->problem.element_bytes;
  return Plan(std::move(made));
}

TuneReport Engine::tune(const Problem& problem, const TuneOptions& options) {
  const Problem normal = normal_form(problem);
  backend(problem.device);
  if (is_empty(normal)) {
    TuneReport report;
    report.problem = normal;
    return report;
  }
  const std::lock_guard lock(impl_->measuring);
  return impl_->tune(normal, options);
}

void Engine::transpose(const void* in, void* out, const Problem& problem, void* stream) {
  PlanOptions options;
  // A choice by trial cannot be made while the stream records a graph.
  if (backend(problem.device).is_capturing(stream)) options.policy = Policy::estimate;
  plan(aligned_as(problem, in, out), options).execute(in, out, stream);
}

}  // namespace xpose
