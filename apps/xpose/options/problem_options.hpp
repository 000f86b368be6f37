// The problem on a command line: --shape and its companions.
#pragma once

#include "options/options.hpp"

namespace xpose::app {

// --shape, --bytes, --batch, --in-ld, --out-ld, --alignment and --in-place.
void add_problem_options(po::options_description& options);

// Throws UsageError where they do not make a problem.
Problem problem_of(const po::variables_map& values, Device device);

}  // namespace xpose::app
