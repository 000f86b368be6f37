// The simulator in the place of a device: verifies, and has no clock.
#pragma once

#include <filesystem>

#include "trial/trial_runner.hpp"

namespace xpose {

// For candidates that are loaded in this process.
class SimulatedRunner final : public TrialRunner {
 public:
  // [normal form, not empty]
  SimulatedRunner(Problem problem, DeviceInfo device, std::filesystem::path plugin);

  std::vector<QuoteAnswer> quote(const Strategy& strategy,
                                 const std::vector<Values>& configs) override;
  void prepare() override {}
  // Any finding of the simulator is an outcome that is not ok, with its source line.
  Outcome verify(const Candidate& candidate) override;
  Sample time(const Candidate& candidate) override;

 private:
  Problem problem_;
  DeviceInfo device_;
  std::filesystem::path plugin_;
};

}  // namespace xpose
