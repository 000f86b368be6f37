#include "engine.hpp"

#include "checked_options.hpp"
#include "chooser/chooser.hpp"
#include "device/device.hpp"
#include "device/host_machine.hpp"
#include "plan.hpp"
#include "problem/normal_form.hpp"
#include "reported.hpp"
#include "trial/in_process_runner.hpp"
#include "worker/worker_runner.hpp"

namespace xpose {
namespace {

std::filesystem::path cache_file(const EngineOptions& options) {
  if (!options.remember) return {};
  return options.cache.empty() ? default_cache_file() : options.cache;
}

// Of the installation, whose folders nobody named: choices without its plugins would be slow, and
// nobody the wiser.
void warn_of_refused(const Catalog& catalog, const Warn& warn) {
  std::vector<std::string> reasons;
  for (const PluginInfo& plugin : catalog.plugins)
    if (!plugin.refused.empty()) reasons.push_back(plugin.refused);
  if (reasons.empty() || !warn) return;
  const std::size_t more = reasons.size() - 1;
  warn("installed strategies are left out: " + reasons.front() +
       (more == 0 ? "" : "; and " + std::to_string(more) + " more, see `xpose plugins`"));
}

// Messages about the normal form, in words of the caller's problem as well.
template <class Call>
auto in_words_of(const Problem& problem, const Problem& normal, const Call& call) try {
  return call();
} catch (const Error& error) {
  const std::string stated = to_string(problem), folded = to_string(normal);
  std::string text = error.what();
  const std::size_t at = text.find(folded);
  if (at == std::string::npos || stated == folded) throw;
  throw Error(error.kind(), text.replace(at, folded.size(), stated + ", moved as " + folded));
}

}  // namespace

struct Engine::Impl {
  explicit Impl(const EngineOptions& options);

  MakeRunner runners(const EngineOptions& options);

  unsigned threads;  // of host strategies
  Cache cache;
  Registry registry;
  Tables tables;
  Chooser chooser;
};

Engine::Impl::Impl(const EngineOptions& options)
    : threads(options.threads != 0 ? options.threads : usable_processors()),
      cache(cache_file(options), options.remember ? system_cache_file() : std::filesystem::path{},
            options.warn),
      registry(options.plugin_folders.empty() ? default_plugin_folders() : options.plugin_folders,
               cache, options.warn, options.in_process ? Shipped::ignored : Shipped::believed),
      tables(options.table_folders.empty() ? default_table_folders() : options.table_folders,
             options.warn),
      chooser({registry, cache, tables, imposed_policy()}, runners(options), options, threads) {
  if (options.plugin_folders.empty()) warn_of_refused(registry.catalog(), options.warn);
}

MakeRunner Engine::Impl::runners(const EngineOptions& options) {
  if (options.in_process)
    return [threads = threads](Worker&, const Catalog&, const Problem& normal, bool warm) {
      return std::make_unique<InProcessRunner>(backend(normal.device), normal, threads, warm);
    };
  return [this, warn = options.warn](Worker& worker, const Catalog& offered, const Problem& normal,
                                     bool warm) {
    const auto file_of = [&offered](const std::string& digest) {
      return offered.find(digest)->file;
    };
    return std::make_unique<WorkerRunner>(WorkerRunner::Needs{
        worker, cache, backend(normal.device).info(), normal, threads, warm, file_of, warn});
  };
}

Chooser& EngineAccess::chooser(Engine& engine) { return engine.impl_->chooser; }

Engine::Engine(const EngineOptions& options)
    : impl_(reported([&] { return std::make_shared<Impl>(options); })) {}

const std::vector<PluginInfo>& Engine::plugins() const {
  return *reported([&] { return &impl_->chooser.plugins(); });
}

Plan Engine::plan(const Problem& problem, const PlanOptions& options) {
  return reported([&] {
    check_options(options);
    auto made = std::make_shared<Plan::Impl>();
    const Layered parts = layered(problem);
    made->problem = parts.layer;
    Backend& device = backend(problem.device);
    if (is_empty(made->problem)) {
      made->stays = stays_in_place(problem);
      return Plan(std::move(made));
    }
    const Choice choice = in_words_of(
        problem, made->problem, [&] { return impl_->chooser.choose(made->problem, options); });
    made->is_estimate = choice.is_estimate;
    device.make_current();
    made->bind(choice.winner, device, impl_->threads, Promise(parts, problem));
    return Plan(std::move(made));
  });
}

TuneReport Engine::tune(const Problem& problem, const TuneOptions& options) {
  return reported([&] {
    check_options(options);
    const Problem normal = normal_form(problem);
    backend(problem.device);
    if (!is_empty(normal))
      return in_words_of(problem, normal, [&] { return impl_->chooser.tune(normal, options); });
    TuneReport report;
    report.problem = normal;
    return report;
  });
}

void Engine::transpose(const void* in, void* out, const Problem& problem, void* stream,
                       Policy policy) {
  reported([&] {
    check_options(policy);
    PlanOptions options;
    options.policy = policy;
    // A choice by trial cannot be made while the stream records a graph.
    if (backend(problem.device).is_capturing(stream)) {
      options.policy = Policy::estimate;
      options.tune.budget_seconds = 0;  // whatever policy is imposed
    }
    const Problem aligned = aligned_as(problem, in, out);
    const Layered parts = layered(aligned);
    if (is_empty(parts.layer)) return stays_in_place(aligned) ? check_one_buffer(in, out) : void();
    Promise(parts, aligned).check(parts.layer, in, out);  // before anything is tried
    plan(aligned, options).execute(in, out, stream);
  });
}

void Engine::permute(const void* in, void* out, std::span<const std::int64_t> shape,
                     std::span<const int> axes, std::uint32_t element_bytes, Device device,
                     void* stream, Policy policy) {
  transpose(in, out, permutation(shape, axes, element_bytes, device), stream, policy);
}

}  // namespace xpose
