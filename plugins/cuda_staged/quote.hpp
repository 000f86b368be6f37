// The predicted time of a way through the GPU, over that of the host's fastest copy.
#pragma once

#include <xpose/plugin.hpp>

#include "tiling.hpp"

namespace staged {

// Why no GPU can be used here; empty: one may. Looks at files and the environment once, and asks
// no driver, whose start takes longer than most problems.
const std::string& no_gpu();

xpose::plugin::Demand demand_of(const xpose_problem& problem, const Tiling& tiling);

}  // namespace staged
