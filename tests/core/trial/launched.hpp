// Candidates whose launches are functions of a test, over problems of 4-byte elements.
#pragma once

#include <cstdint>

#include "trial/in_process_runner.hpp"

// Counts its launches: some are right at their first alone.
struct xpose_plan {
  xpose_problem problem;
  mutable int launches = 0;
};

namespace xpose {

inline int destroyed = 0;

inline xpose_status make(const xpose_problem* problem, const int64_t*, xpose_plan** plan,
                         xpose_text) {
  *plan = new xpose_plan{*problem};
  return XPOSE_OK;
}
inline void transpose(const xpose_plan* plan, const xpose_launch* launch) {
  const auto* in = static_cast<const std::uint32_t*>(launch->in);
  auto* out = static_cast<std::uint32_t*>(launch->out);
  for (std::int64_t r = 0; r < plan->problem.rows; ++r)
    for (std::int64_t c = 0; c < plan->problem.cols; ++c)
      out[c * plan->problem.out_ld + r] = in[r * plan->problem.in_ld + c];
}
inline void count_and_delete(xpose_plan* plan) {
  if (plan != nullptr) ++destroyed;
  delete plan;
}

// A candidate whose plans are made as above, and launched so.
struct Launched {
  explicit Launched(decltype(xpose_strategy::launch) launch, const char* name = "") {
    functions.create = make;
    functions.launch = launch;
    functions.destroy = count_and_delete;
    strategy.functions = &functions;
    candidate.strategy = &strategy;
    candidate.variant.strategy = name;
  }
  Launched(const Launched&) = delete;

  xpose_strategy functions{};
  Strategy strategy;
  Candidate candidate;
};

}  // namespace xpose
