#include "chooser.hpp"
#include "device.hpp"
#include "normal_form.hpp"
#include "plan.hpp"

namespace xpose {

struct Engine::Impl : Chooser {
  using Chooser::Chooser;
};

Engine::Engine(const EngineOptions& options) : impl_(std::make_shared<Impl>(options)) {}

const std::vector<PluginInfo>& Engine::plugins() const { return impl_->plugins(); }

Plan Engine::plan(const Problem& problem, const PlanOptions& options) {
  auto made = std::make_shared<Plan::Impl>();
  made->problem = normal_form(problem);
  Backend& device = backend(problem.device);
  if (is_empty(made->problem)) return Plan(std::move(made));
  const Candidate chosen = impl_->choose(made->problem, options);
  device.make_current();
  made->variant = chosen.variant;
  made->launch = chosen.launch;
  made->bound = std::make_unique<BoundPlan>(chosen, made->problem, device.info(), impl_->threads());
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
  return impl_->tune(normal, options);
}

void Engine::transpose(const void* in, void* out, const Problem& problem, void* stream) {
  PlanOptions options;
  // A choice by trial cannot be made while the stream records a graph.
  if (backend(problem.device).is_capturing(stream)) options.policy = Policy::estimate;
  plan(aligned_as(problem, in, out), options).execute(in, out, stream);
}

}  // namespace xpose
