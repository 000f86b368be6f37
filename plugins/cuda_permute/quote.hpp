// The figures of a config for a problem, the problems that are left to others, and the cuts that a
// launch takes as its quote does.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <xpose/plugin.hpp>

#include "cut.hpp"

namespace cuda_permute {

// Bytes of an output run, the default first.
inline constexpr std::array<int64_t, 4> kRuns = {256, 128, 512, kRunOfLargerTile};

// `shared` of tiles whose elements are joined by columns.
inline constexpr int64_t kJoins = 2;

// Throws Unsupported where others serve the problem, or an earlier run makes the same tiles.
xpose::plugin::Quote quote(const xpose::plugin::Problem& problem,
                           const xpose::plugin::Config& config);

// The cut for runs of so many bytes, which serves every address that the problem allows.
Cut cut_of(const xpose::plugin::Problem& problem, const xpose::plugin::Config& config, int64_t run);

// The cut in strips; nothing where the form has none, or the input's alignment does not allow it.
// Whether the output's address does is known at a launch.
std::optional<Cut> strips_of(const xpose::plugin::Problem& problem,
                             const xpose::plugin::Config& config, int64_t run);

// Of a grid.
uint32_t blocks_of(const Cut& cut);

}  // namespace cuda_permute
