#include "strategy/bound_plan.hpp"

#include <exception>
#include <utility>

#include "problem/batch_loop.hpp"
#include "problem/normal_form.hpp"
#include "strategy/plugin_call.hpp"
#include "threads/lent_team.hpp"

namespace xpose {
namespace {

// Calls a function of the plugin and throws its words where it fails.
template <class Call>
void checked(const std::string& strategy, const char* what, const Call& call) {
  const CallResult result = call_plugin(call);
  if (result.status != XPOSE_OK)
    throw Error(kind_of(result.status), strategy + " failed to " + what + ": " + result.words);
}

}  // namespace

BoundPlan::BoundPlan(const Candidate& candidate, const Problem& normal, const DeviceInfo& device,
                     unsigned threads)
    : functions_(*candidate.strategy->functions),
      strategy_(candidate.variant.strategy),
      element_bytes_(normal.element_bytes),
      threads_(device.device.kind == DeviceKind::host ? threads : 0) {
  const Problem problem = problem_for(candidate.strategy->info, normal);
  const xpose_problem abi = to_abi(candidate.strategy->info, problem, device);
  loop_.assign(problem.batch.begin() + abi.batch_rank, problem.batch.end());
  checked(strategy_, "make a plan", [&](xpose_text error) {
    return functions_.create(&abi, candidate.values.data(), &plan_, error);
  });
}

// A caller that wants to hear of a failure calls destroy() before.
BoundPlan::~BoundPlan() {
  try {
    destroy();
  } catch (const std::exception&) {
  }
}

void BoundPlan::destroy() {
  xpose_plan* const plan = std::exchange(plan_, nullptr);
  checked(strategy_, "destroy its plan", [&](xpose_text) {
    if (plan != nullptr) functions_.destroy(plan);
    return XPOSE_OK;
  });
}

void BoundPlan::launch(const void* in, void* out, void* workspace, void* stream) const {
  LentTeam team(threads_);
  for_each_matrix(loop_, element_bytes_, in, out, [&](const void* one_in, void* one_out) {
    launch_one({.size = sizeof(xpose_launch),
                .threads = threads_,
                .in = one_in,
                .out = one_out,
                .workspace = workspace,
                .stream = stream,
                .team = threads_ == 0 ? nullptr : team.for_plugin()});
  });
}

void BoundPlan::launch_one(const xpose_launch& launch) const {
  checked(strategy_, "launch",
          [&](xpose_text error) { return functions_.launch(plan_, &launch, error); });
}

}  // namespace xpose
