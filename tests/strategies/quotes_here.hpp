// Quotes without a worker, for devices that no machine needs to have.
#pragma once

#include <vector>

#include "strategy/candidates.hpp"

namespace xpose {

// A GPU of compute capability 9.0, or a host of two processors.
inline DeviceInfo device_of(DeviceKind kind) {
  DeviceInfo info{};
  info.device = {kind, 0};
  info.multiprocessors = kind == DeviceKind::cuda ? 132 : 2;
  info.compute_capability = kind == DeviceKind::cuda ? 90 : 0;
  info.cache_bytes = kind == DeviceKind::cuda ? 60'000'000 : 32 << 20;
  return info;
}

struct QuoterHere : Quoter {
  explicit QuoterHere(const Problem& asked) : QuoterHere(asked, device_of(asked.device.kind)) {}
  QuoterHere(const Problem& asked, const DeviceInfo& owner) : problem(asked), device(owner) {}
  std::vector<QuoteAnswer> quote(const Strategy& strategy,
                                 const std::vector<Values>& configs) override {
    std::vector<QuoteAnswer> answers;
    for (const Values& values : configs)
      answers.push_back(xpose::quote(strategy, values, problem, device));
    return answers;
  }
  Problem problem;
  DeviceInfo device;
};

}  // namespace xpose
