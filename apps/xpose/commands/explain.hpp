// The text of `xpose explain`.
#pragma once

#include <iosfwd>

#include "output/screen.hpp"
#include "xpose/explain.hpp"

namespace xpose::app {

// A table of accesses by source line, the totals of simulator and hardware side by side, the
// occupancy, the findings, and the limiter.
void print_explanation(std::ostream& out, const Explanation& told, const Screen& screen);

}  // namespace xpose::app
