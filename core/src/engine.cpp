#include "engine.hpp"

#include "chooser/chooser.hpp"
#include "device/device.hpp"
#include "plan.hpp"
#include "problem/normal_form.hpp"
#include "reported.hpp"

namespace xpose {

struct Engine::Impl : Chooser {
  using Chooser::Chooser;
};

Chooser& EngineAccess::chooser(Engine& engine) { return *engine.impl_; }

Engine::Engine(const EngineOptions& options)
    : impl_(reported([&] { return std::make_shared<Impl>(options); })) {}

const std::vector<PluginInfo>& Engine::plugins() const {
  return *reported([&] { return &impl_->plugins(); });
}

Plan Engine::plan(const Problem& problem, const PlanOptions& options) {
  return reported([&] {
    auto made = std::make_shared<Plan::Impl>();
    made->problem = normal_form(problem);
    Backend& device = backend(problem.device);
    if (is_empty(made->problem)) return Plan(std::move(made));
    const Choice choice = impl_->choose(made->problem, options);
    made->is_estimate = choice.is_estimate;
    device.make_current();
    made->bind(choice.winner, device, impl_->threads(), problem);
    return Plan(std::move(made));
  });
}

TuneReport Engine::tune(const Problem& problem, const TuneOptions& options) {
  return reported([&] {
    const Problem normal = normal_form(problem);
    backend(problem.device);
    if (!is_empty(normal)) return impl_->tune(normal, options);
    TuneReport report;
    report.problem = normal;
    return report;
  });
}

void Engine::transpose(const void* in, void* out, const Problem& problem, void* stream) {
  reported([&] {
    PlanOptions options;
    // A choice by trial cannot be made while the stream records a graph.
    if (backend(problem.device).is_capturing(stream)) options.policy = Policy::estimate;
    const Problem aligned = aligned_as(problem, in, out);
    const Problem normal = normal_form(aligned);
    if (is_empty(normal)) return;
    Promise(normal, aligned).check(normal, in, out);  // before anything is tried
    plan(aligned, options).execute(in, out, stream);
  });
}

}  // namespace xpose
