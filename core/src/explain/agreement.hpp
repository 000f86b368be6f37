// Whether the simulator and the hardware's counters say the same, in words.
#pragma once

#include <string>

#include "xpose/explain.hpp"

namespace xpose {

// Sentences on where they agree and why they differ where they do. Empty unless told has both.
std::string agreement(const Explanation& told);

}  // namespace xpose
