#include "c_api/aligned_plans.hpp"

#include <algorithm>
#include <bit>
#include <memory>

namespace xpose::c_api {

std::size_t AlignedPlans::exponent(std::uint64_t address) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << (kExponents - 1);
  return static_cast<std::size_t>(std::countr_zero(address | kMost));
}

AlignedPlans::AlignedPlans(const Engine& engine, const Problem& problem, const PlanOptions& options)
    : engine_(engine),
      problem_(problem),
      in_(exponent(problem.in_alignment)),
      out_(exponent(problem.out_alignment)),
      promised_(engine_.plan(problem, options)) {}

AlignedPlans::~AlignedPlans() {
  for (auto& row : lesser_)
    for (std::atomic<const Plan*>& plan : row) delete plan.load(std::memory_order_acquire);
}

const Plan& AlignedPlans::plan_for(const void* in, const void* out) const {
  const std::size_t in_now = exponent(reinterpret_cast<std::uintptr_t>(in));
  const std::size_t out_now = exponent(reinterpret_cast<std::uintptr_t>(out));
  if (in_now >= in_ && out_now >= out_) return promised_;
  return lesser(std::min(in_now, in_), std::min(out_now, out_));
}

const Plan& AlignedPlans::lesser(std::size_t in, std::size_t out) const {
  std::atomic<const Plan*>& place = lesser_[in][out];
  if (const Plan* const made = place.load(std::memory_order_acquire)) return *made;
  Problem problem = problem_;
  problem.in_alignment = std::uint32_t{1} << in;
  problem.out_alignment = std::uint32_t{1} << out;
  PlanOptions options;
  options.policy = Policy::estimate;  // an execution does not wait for trials
  options.tune.budget_seconds = 0;    // even where XPOSE_POLICY is measure
  auto plan = std::make_unique<const Plan>(engine_.plan(problem, options));
  const Plan* first = nullptr;
  if (!place.compare_exchange_strong(first, plan.get(), std::memory_order_acq_rel)) return *first;
  return *plan.release();
}

}  // namespace xpose::c_api
