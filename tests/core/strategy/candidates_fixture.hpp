// Strategies with axes and a quote, and what becomes of them.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "problem/normal_form.hpp"
#include "strategy/candidates.hpp"

namespace xpose {

// Supports tiles that are multiples of its rows times 8.
inline xpose_status quote_tile(const xpose_problem*, const int64_t* config, xpose_quote* quote,
                               xpose_text error) {
  if (config[0] < 8 * config[1]) {
    std::strncpy(error.data, "tile too small", error.capacity);
    return XPOSE_UNSUPPORTED;
  }
  quote->workspace_bytes = static_cast<uint64_t>(config[0]);
  std::strncpy(quote->launch, "grid 1", sizeof quote->launch);
  return XPOSE_OK;
}

inline Strategy strategy(const char* name, int prior_rank, Role role = Role::transpose) {
  static const xpose_strategy functions = [] {
    xpose_strategy made{};
    made.quote = quote_tile;
    return made;
  }();
  Strategy made;
  made.info.name = name;
  made.info.role = role;
  made.info.element_sizes = 31;
  made.info.prior_rank = prior_rank;
  made.info.axes = {{"tile", {64, 32, 16}}, {"rows", {8, 4}}};
  made.functions = &functions;
  return made;
}

class Candidates : public testing::Test, public Quoter {
 protected:
  std::vector<QuoteAnswer> quote(const Strategy& asked,
                                 const std::vector<Values>& configs) override {
    std::vector<QuoteAnswer> answers;
    for (const Values& values : configs)
      answers.push_back(xpose::quote(asked, values, problem, device));
    return answers;
  }
  std::vector<std::string> names(const std::vector<const Strategy*>& strategies) {
    std::vector<std::string> found;
    for (const Candidate& candidate : candidates(strategies, problem, device, options, *this))
      found.push_back(to_string(candidate.variant) + (candidate.outcome.verdict == Verdict::ok
                                                          ? ""
                                                          : " " + candidate.outcome.detail));
    return found;
  }
  Problem problem = normal_form(matrix(100, 200, 4));
  DeviceInfo device{};
  TuneOptions options;
};

}  // namespace xpose
