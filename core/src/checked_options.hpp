// Checks of the options that callers state for a choice and a tune.
#pragma once

#include "xpose/xpose.hpp"

namespace xpose {

// Each throws Error invalid for a number or an enumerator that means nothing.
void check_options(Policy policy);
void check_options(const TuneOptions& options);
void check_options(const PlanOptions& options);

}  // namespace xpose
