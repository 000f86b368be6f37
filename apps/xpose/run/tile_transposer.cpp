#include "run/tile_transposer.hpp"

#include <cstring>

namespace xpose::app {
namespace {

constexpr std::uint32_t kTunedAlignment = 256;  // bytes, of buffers

bool is_copy(const TileShape& shape) {
  return shape.rows == 1 || (shape.cols == 1 && shape.pitch == shape.item_bytes);
}

}  // namespace

TileTransposer::TileTransposer(const Options& options, const TileShape& most,
                               const TileShape& whole)
    : options_(options), most_(most) {
  const bool are_named = !options.plan.tune.variants.empty();
  if (is_copy(most) && !are_named) return;
  engine_.emplace(options.engine);
  if (options.names_refused)
    for (const PluginInfo& plugin : engine_->plugins())
      if (!plugin.refused.empty()) options.engine.warn("refused " + plugin.refused);
  if (whole != most && !are_named) recall(whole);
  if (options.device.kind == DeviceKind::host) return;
  in_.emplace(options.device, most.in_bytes());
  out_.emplace(options.device, most.out_bytes());
}

Problem TileTransposer::problem_of(const TileShape& shape) const {
  Problem problem = matrix(shape.rows, shape.cols, shape.item_bytes, options_.device);
  problem.in_ld = static_cast<std::int64_t>(shape.pitch / shape.item_bytes);
  return problem;
}

// As `tune` has it. Nothing is measured now: the budget is none.
void TileTransposer::recall(const TileShape& whole) try {
  Problem problem = problem_of(whole);
  problem.in_alignment = problem.out_alignment = kTunedAlignment;
  const PlanOptions known{.policy = Policy::cached_only, .tune = {.budget_seconds = 0}};
  measured_ = engine_->plan(problem, known).variant();
} catch (const Error&) {  // nothing is known, or it serves no more
}

std::optional<Plan> TileTransposer::plan_as_measured(const Problem& tile) try {
  if (!measured_) return std::nullopt;
  PlanOptions options{.policy = Policy::estimate};
  options.tune.variants = {*measured_};
  return engine_->plan(tile, options);
} catch (const Error&) {  // it does not serve the tile
  return std::nullopt;
}

Plan TileTransposer::plan(const TileShape& shape, const void* in, const void* out) {
  const Problem problem = aligned_as(problem_of(shape), in, out);
  PlanOptions options = options_.plan;
  if (shape != most_) options.policy = Policy::estimate;
  Plan made = engine_->plan(problem, options);
  if (made.is_estimate()) made = plan_as_measured(problem).value_or(made);
  if (shape != most_) return made;
  options_.plan.policy = Policy::estimate;  // the choice is made by now
  if (!made.is_estimate()) measured_ = made.variant();
  chosen_ = to_string(made.variant());
  return made;
}

void TileTransposer::transpose(const TileShape& shape, const std::byte* in, std::byte* out) {
  // A strategy that was named moves the largest tile, even where a plain copy would do.
  if (is_copy(shape) && (!engine_ || shape != most_)) {
    std::memcpy(out, in, shape.out_bytes());
  } else if (!in_) {
    plan(shape, in, out).execute(in, out);
  } else {
    in_->upload(in, shape.in_bytes());
    plan(shape, in_->data(), out_->data()).execute(in_->data(), out_->data());
    out_->download(out, shape.out_bytes());
  }
}

}  // namespace xpose::app
