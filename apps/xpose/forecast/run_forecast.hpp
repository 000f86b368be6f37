// `xpose run --plan-only`: the passes, tiles and seconds of a run that is not begun.
#pragma once

#include <string>

#include "run/run.hpp"

namespace xpose::app {

// Prints them, and writes them as JSON where the target of --json is not empty. Measures the disks
// where their curves are not known yet, or the policy is to measure. Returns the exit code. Throws
// as run_command() does, and where input or output is a pipe.
int forecast_command(const RunOptions& options, const std::string& json_target);

}  // namespace xpose::app
