// The command `xpose run`: transposes a .npy file into another.
#pragma once

#include <filesystem>
#include <string>

#include "xpose/xpose.hpp"

namespace xpose::app {

struct RunOptions {
  std::filesystem::path in;
  std::filesystem::path out;  // may be the same file
  Device device = {};
  std::string strategy = {};  // empty: the engine chooses
  EngineOptions engine = {};
  PlanOptions plan = {};
  bool verbose = false;  // say on stderr what was done
};

// Writes the transpose of the 2-D array `in` to `out`, in C order and of the same dtype; `out`
// appears when it is complete, or not at all. Returns the exit code 0.
// Throws std::runtime_error with a sentence that names the file, and what the engine throws. Ends
// the process with 128 + signal on SIGINT, SIGTERM and SIGHUP, and with 1 where a page of either
// file is lost while the arrays are in use.
int run_command(const RunOptions& options);

}  // namespace xpose::app
