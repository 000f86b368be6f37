// Plans of the C API, and the calls that make one on the way.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>

#include "c_api/aligned_plans.hpp"
#include "c_api/engine_handle.hpp"
#include "c_api/options.hpp"
#include "c_api/status.hpp"
#include "c_api/tensors.hpp"
#include "c_api/versioned.hpp"

// NOLINTNEXTLINE(readability-identifier-naming): C's name
struct xpose_plan_t {
  std::uint64_t in_offset;  // bytes from a caller's address to element 0
  std::uint64_t out_offset;
  bool in_place;  // and with elements, even where none moves
  xpose::c_api::AlignedPlans plans;
  std::string variant;
};

namespace xpose::c_api {
namespace {

// The addresses of element 0. Null stays null, and is refused later.
const void* moved(const void* address, std::uint64_t bytes) {
  return address == nullptr ? nullptr : static_cast<const std::byte*>(address) + bytes;
}
void* moved(void* address, std::uint64_t bytes) {
  return address == nullptr ? nullptr : static_cast<std::byte*>(address) + bytes;
}

Policy known_policy(std::int32_t policy) {
  switch (policy) {
    case XPOSE_POLICY_MEASURE:
      return Policy::measure;
    case XPOSE_POLICY_ESTIMATE:
      return Policy::estimate;
    case XPOSE_POLICY_CACHED_ONLY:
      return Policy::cached_only;
    default:
      throw Error(ErrorKind::invalid,
                  "policy " + std::to_string(policy) + " is none of XPOSE_POLICY_*");
  }
}

std::unique_ptr<xpose_plan_t> prepared(const Engine& engine, const Move& move,
                                       const PlanOptions& options) {
  const Problem problem = problem_of(move);
  const bool is_empty = std::ranges::find(move.in.extents, 0) != move.in.extents.end();
  std::unique_ptr<xpose_plan_t> plan(new xpose_plan_t{
      move.in.offset, move.out.offset, move.in_place && !is_empty, {engine, problem, options}, {}});
  if (const Variant& variant = plan->plans.promised().variant(); !variant.strategy.empty())
    plan->variant = to_string(variant);
  return plan;
}

void execute(const xpose_plan_t& plan, const void* in, void* out, void* stream) {
  in = moved(in, plan.in_offset);
  out = moved(out, plan.out_offset);
  if (in == out && in != nullptr && !plan.in_place && !plan.variant.empty())
    throw Error(ErrorKind::invalid,
                "input and output begin at one address, but the plan is for two buffers: set "
                "in_place of its xpose_plan_options_t, which serves square matrices");
  if (in != out && plan.in_place)
    throw Error(ErrorKind::invalid,
                "the plan is in place, but input and output begin at two addresses: pass one, or "
                "make a plan without in_place of its xpose_plan_options_t");
  plan.plans.plan_for(in, out).execute(in, out, stream);
}

void permute(Engine& engine, const xpose_tensor_t* in_tensor, const void* in,
             const xpose_tensor_t* out_tensor, void* out, const std::int32_t* axes,
             std::int32_t policy, void* stream) {
  const Policy known = known_policy(policy);
  Move move =
      stated_move(in_tensor, out_tensor, axes, out_tensor == nullptr && in == out && in != nullptr);
  const void* const from = moved(in, move.in.offset);
  void* const to = moved(out, move.out.offset);
  move.in_place = from == to && from != nullptr;
  engine.transpose(from, to, problem_of(move), stream, known);
}

}  // namespace
}  // namespace xpose::c_api

using namespace xpose;

xpose_status_t xpose_prepare(xpose_engine_t* engine, const xpose_tensor_t* in,
                             const xpose_tensor_t* out, const int32_t* axes, int32_t policy,
                             const xpose_plan_options_t* options, xpose_plan_t** plan) {
  return c_api::guarded([&] {
    c_api::required(plan, "the argument plan");
    *plan = nullptr;
    const auto& made_by = c_api::required(engine, "the engine");
    const auto stated = c_api::versioned(options, "xpose_plan_options_t");
    PlanOptions known;
    known.policy = c_api::known_policy(policy);
    known.tune.budget_seconds = c_api::budget(stated.budget_seconds);
    const c_api::Move move = c_api::stated_move(in, out, axes, stated.in_place != 0);
    *plan = c_api::prepared(made_by.engine, move, known).release();
  });
}

xpose_status_t xpose_execute(const xpose_plan_t* plan, const void* in, void* out, void* stream) {
  return c_api::guarded(
      [&] { c_api::execute(c_api::required(plan, "the plan"), in, out, stream); });
}

const char* xpose_plan_variant(const xpose_plan_t* plan) {
  return plan == nullptr ? "" : plan->variant.c_str();
}

const char* xpose_plan_launch(const xpose_plan_t* plan) {
  return plan == nullptr ? "" : plan->plans.promised().launch().c_str();
}

int32_t xpose_plan_is_estimate(const xpose_plan_t* plan) {
  return plan != nullptr && plan->plans.promised().is_estimate() ? 1 : 0;
}

void xpose_plan_destroy(xpose_plan_t* plan) { delete plan; }

xpose_status_t xpose_permute(xpose_engine_t* engine, const xpose_tensor_t* in_tensor,
                             const void* in, const xpose_tensor_t* out_tensor, void* out,
                             const int32_t* axes, int32_t policy, void* stream) {
  return c_api::guarded([&] {
    c_api::permute(c_api::required(engine, "the engine").engine, in_tensor, in, out_tensor, out,
                   axes, policy, stream);
  });
}

xpose_status_t xpose_transpose(xpose_engine_t* engine, const xpose_tensor_t* in_tensor,
                               const void* in, const xpose_tensor_t* out_tensor, void* out,
                               int32_t policy, void* stream) {
  return c_api::guarded([&] {
    c_api::permute(c_api::required(engine, "the engine").engine, in_tensor, in, out_tensor, out,
                   c_api::last_two_exchanged(in_tensor).data(), policy, stream);
  });
}
