// Runs a strategy's kernels on the host, once, for their account.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <variant>

#include "strategy/candidates.hpp"
#include "xpose/explain.hpp"

namespace xpose {

// Traces a candidate that is loaded in this process on a problem [normal form, not empty], with the
// buffers of a trial in host memory: exact regions between guards, the input encoding its index,
// the output compared element by element. Batch dimensions that the strategy does not take are
// looped over. `plugin`: its file, for source lines. `progress`: 0 to 1, [the calling thread]. A
// text instead: why the strategy cannot be simulated. Throws Error no_memory; failed where the
// plugin breaks the contract.
std::variant<AccessAccount, std::string> simulate(const Candidate& candidate, const Problem& normal,
                                                  const DeviceInfo& device,
                                                  const std::filesystem::path& plugin,
                                                  const std::function<void(double)>& progress = {});

}  // namespace xpose
