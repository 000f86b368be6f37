// The figures of a config for a problem, and the problems that are left to others.
#pragma once

#include <array>
#include <cstdint>
#include <xpose/plugin.hpp>

namespace host_permute {

// The values of the axes `run` and `in_run`, the default first.
inline constexpr std::array<int64_t, 4> kRuns = {1024, 2048, 512, 128};
inline constexpr std::array<int64_t, 2> kInRuns = {256, 512};

// Throws Unsupported where others serve the problem, or an earlier config makes the same tiles.
xpose::plugin::Quote quote(const xpose::plugin::Problem& problem,
                           const xpose::plugin::Config& config);

}  // namespace host_permute
