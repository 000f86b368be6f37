#include "run/tile_transposer.hpp"

#include <cstring>

namespace xpose::app {
namespace {

constexpr std::uint32_t kTunedAlignment = 256;  // bytes, of buffers

}  // namespace

TileWork matrix_work(std::int64_t rows, std::int64_t cols, std::uint32_t item_bytes,
                     std::uint64_t pitch, std::int64_t out_ld) {
  TileWork work{matrix(rows, cols, item_bytes)};
  work.problem.in_ld = static_cast<std::int64_t>(pitch / item_bytes);
  work.problem.out_ld = out_ld;
  work.in_bytes = static_cast<std::uint64_t>(rows) * pitch;
  work.out_bytes = static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(cols) * item_bytes;
  work.is_copy = (rows == 1 && out_ld == 1) || (cols == 1 && pitch == item_bytes);
  return work;
}

TileWork permutation_work(const DenseArray& folded) {
  TileWork work;
  work.problem =
      permutation(folded.extents, folded.axes, static_cast<std::uint32_t>(folded.item_bytes));
  work.in_bytes = work.out_bytes = folded.bytes();
  work.is_copy = folded.extents.size() <= 1;
  return work;
}

TileWork permutation_work(const DenseArray& array, const std::vector<std::int64_t>& out_strides) {
  std::vector<std::int64_t> in_strides(array.extents.size());
  std::int64_t stride = 1;
  for (std::size_t i = in_strides.size(); i-- > 0; stride *= array.extents[i])
    in_strides[i] = stride;
  TileWork work;
  work.problem = permutation(array.extents, array.axes, in_strides, out_strides,
                             static_cast<std::uint32_t>(array.item_bytes));
  work.in_bytes = work.out_bytes = array.bytes();
  return work;
}

TileTransposer::TileTransposer(const Options& options, const TileWork& most, const TileWork& whole)
    : options_(options), most_(most) {
  const bool are_named = !options.plan.tune.variants.empty();
  if (most.is_copy && !are_named) return;
  engine_.emplace(options.engine);
  if (options.names_refused)
    for (const PluginInfo& plugin : engine_->plugins())
      if (!plugin.refused.empty()) options.engine.warn("refused " + plugin.refused);
  if (whole != most && !are_named) recall(whole);
  if (options.device.kind == DeviceKind::host) return;
  in_.emplace(options.device, most.in_bytes);
  out_.emplace(options.device, most.out_bytes);
}

Problem TileTransposer::problem_of(const TileWork& work) const {
  Problem problem = work.problem;
  problem.device = options_.device;
  return problem;
}

// As `tune` has it. Nothing is measured now: the budget is none.
void TileTransposer::recall(const TileWork& whole) try {
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

Plan TileTransposer::plan(const TileWork& work, const void* in, const void* out) {
  const Problem problem = aligned_as(problem_of(work), in, out);
  PlanOptions options = options_.plan;
  if (work != most_) {
    options.policy = Policy::estimate;
    options.tune.budget_seconds = 0;  // whatever XPOSE_POLICY says: a tile does not wait
  }
  Plan made = engine_->plan(problem, options);
  if (made.is_estimate()) made = plan_as_measured(problem).value_or(made);
  if (work != most_) return made;
  options_.plan.policy = Policy::estimate;  // the choice is made by now
  if (!made.is_estimate()) measured_ = made.variant();
  chosen_ = to_string(made.variant());
  return made;
}

void TileTransposer::transpose(const TileWork& work, const std::byte* in, std::byte* out) {
  // A strategy that was named moves the largest tile, even where a plain copy would do.
  if (work.is_copy && (!engine_ || work != most_)) {
    std::memcpy(out, in, work.out_bytes);
  } else if (!in_) {
    plan(work, in, out).execute(in, out);
  } else {
    in_->upload(in, work.in_bytes);
    plan(work, in_->data(), out_->data()).execute(in_->data(), out_->data());
    out_->download(out, work.out_bytes);
  }
}

}  // namespace xpose::app
