// Outputs whose axes interlock: an axis steps into the span of smaller ones, between their
// elements.
#pragma once

#include <vector>

#include "xpose/problem.hpp"

namespace xpose {

// [sizes and spans checked, leading dimensions filled in] Takes batch dimensions out of the problem
// until every output axis that is left steps over all smaller ones. Plugins and trials count on
// that. The longest stay. Returns those taken out: the problem is to be done once for each of their
// indices. Throws Error invalid where output elements overlap.
std::vector<BatchDim> take_interlocking(Problem& problem);

}  // namespace xpose
