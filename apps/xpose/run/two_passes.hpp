// A permutation of a file in two passes through a scratch file.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "run/input_file.hpp"
#include "run/output_file.hpp"
#include "run/scratch_file.hpp"
#include "run/tile_transposer.hpp"
#include "run/two_pass_plan.hpp"

namespace xpose::app {

// Hears of the work. [any thread]
struct PassReports {
  std::function<void(const char*)> tell;       // the next step
  std::function<void(std::uint64_t)> written;  // bytes, of either file
};

// Returns the variant that permuted most of it. Throws as its files and TileTransposer do.
std::string move_in_two_passes(const TwoPassPlan& plan, const InputFile& input,
                               ScratchFile& scratch, OutputFile& output,
                               const TileTransposer::Options& options, const PassReports& reports);

// "12 bands of 400x5000 and 13 ranges of 5000x390".
std::string pass_text(const TwoPassPlan& plan);

// Of the whole array. Throws Error where the library serves no such permutation.
TileWork band_work(const TwoPassPlan& plan, const std::vector<std::int64_t>& extents);

}  // namespace xpose::app
