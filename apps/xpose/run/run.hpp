// The command `xpose run`: permutes the axes of a file's array into another file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "axes/axis_order.hpp"
#include "npy/npy.hpp"
#include "run/pass_choice.hpp"
#include "run/run_plan.hpp"
#include "run/tile_transposer.hpp"

namespace xpose::app {

struct RunOptions {
  std::filesystem::path in;
  std::filesystem::path out;          // may be the same file
  std::optional<NpyHeader> raw = {};  // the array, where neither file has a header
  AxisOrder order = {};
  TileTransposer::Options how = {};
  std::uint64_t memory = kRunMemory;  // bytes
  Passes passes = Passes::automatic;
  std::filesystem::path scratch = {};  // the folder of a scratch file; empty: beside the output
  bool resume = false;                 // go on from a run that was killed, and can be resumed
  bool verbose = false;                // report each step on stderr
};

// Writes the array `in` with its axes in that order to `out`, in C order and of the same dtype;
// `out` appears when it is complete, or not at all. Resumable, what is there of it stays beside it
// under another name. Returns the exit code 0. Throws
// std::runtime_error with a sentence that names the file, and the engine's errors. Ends the process
// with 128 + signal on SIGINT, SIGTERM and SIGHUP.
int run_command(const RunOptions& options);

}  // namespace xpose::app
