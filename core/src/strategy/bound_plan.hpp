// A variant bound to a problem.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "strategy/candidates.hpp"

namespace xpose {

// The plugin's plan and the loop over the batch dimensions that it does not take itself.
// Immutable; launch is safe from several threads with different buffers.
class BoundPlan {
 public:
  // Throws Error: no_memory, device, failed, with the plugin's own words.
  BoundPlan(const Candidate& candidate, const Problem& normal, const DeviceInfo& device,
            unsigned threads);
  ~BoundPlan();
  BoundPlan(const BoundPlan&) = delete;  // owns the plugin's plan
  BoundPlan& operator=(const BoundPlan&) = delete;

  void launch(const void* in, void* out, void* workspace, void* stream) const;

  // Destroys the plugin's plan, as the destructor does, which does not say how that went. Throws
  // Error failed where the plugin throws. Nothing is launched after it.
  void destroy();

 private:
  void launch_one(const xpose_launch& launch) const;

  xpose_strategy functions_;
  std::string strategy_;
  xpose_plan* plan_ = nullptr;
  std::uint32_t element_bytes_;
  std::uint32_t threads_;
  std::vector<BatchDim> loop_;
};

}  // namespace xpose
