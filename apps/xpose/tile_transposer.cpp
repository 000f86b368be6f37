#include "tile_transposer.hpp"

#include <cstring>

#include "offered.hpp"

namespace xpose::app {
namespace {

bool is_copy(const TileShape& shape) {
  return shape.rows == 1 || (shape.cols == 1 && shape.pitch == shape.item_bytes);
}

}  // namespace

TileTransposer::TileTransposer(const Options& options, const TileShape& most)
    : options_(options), most_(most) {
  if (is_copy(most)) return;
  engine_.emplace(options.engine);
  if (!options.strategy.empty()) {
    check_strategies(engine_->plugins(), {options.strategy});
    options_.plan.tune.strategies = {options.strategy};
  }
  if (options.device.kind == DeviceKind::host) return;
  in_.emplace(options.device, most.in_bytes());
  out_.emplace(options.device, most.out_bytes());
}

Plan TileTransposer::plan(const TileShape& shape, const void* in, const void* out) {
  Problem problem = matrix(shape.rows, shape.cols, shape.item_bytes, options_.device);
  problem.in_ld = static_cast<std::int64_t>(shape.pitch / shape.item_bytes);
  PlanOptions options = options_.plan;
  if (shape != most_) options.policy = Policy::estimate;
  Plan made = engine_->plan(aligned_as(problem, in, out), options);
  if (shape == most_) chosen_ = to_string(made.variant());
  return made;
}

void TileTransposer::transpose(const TileShape& shape, const std::byte* in, std::byte* out) {
  if (is_copy(shape)) {
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
