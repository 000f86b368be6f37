// The problem on a command line: --shape and its companions.
#pragma once

#include "axes/axis_order.hpp"
#include "options/options.hpp"

namespace xpose::app {

// --axes, --pattern and --sizes.
void add_axis_options(po::options_description& options);
AxisOrder axis_order_of(const po::variables_map& values);  // throws UsageError

// --shape, --bytes, --batch, --in-ld, --out-ld, --alignment, --in-place and those.
void add_problem_options(po::options_description& options);

// Throws UsageError where they do not make a problem, Error where the library serves none such.
Problem problem_of(const po::variables_map& values, Device device);

// The problem in words. Axes that were fused are no longer told from it: they stand before it as
// they were stated.
std::string stated_problem(const po::variables_map& values, const Problem& problem);

}  // namespace xpose::app
