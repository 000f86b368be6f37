// How the dimensions of a problem become those of its normal form.
#pragma once

#include "xpose/problem.hpp"

namespace xpose {

// [sizes and strides checked, leading dimensions filled in] Counts every dimension forwards in the
// output, and fuses those that continue each other. Elements that lie side by side on both sides
// become one element where a strategy may take that whole, else the columns of a single row.
void fold(Problem& problem);

}  // namespace xpose
