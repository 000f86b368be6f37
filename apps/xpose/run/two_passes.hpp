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
  std::function<void(const char*)> tell;  // what is done next
  // A step has been written: a band to the scratch file, or a range to the output.
  std::function<void(std::int64_t step, std::uint64_t bytes)> wrote;
};

// Bands, then ranges, are its steps.
std::int64_t steps(const TwoPassPlan& plan);
std::uint64_t step_bytes(const TwoPassPlan& plan, std::int64_t step);

// first: the step that it begins with; those before are in the files. Returns the variant that
// permuted most of it. Throws as its files and TileTransposer do.
std::string move_in_two_passes(const TwoPassPlan& plan, std::int64_t first, const InputFile& input,
                               ScratchFile& scratch, OutputFile& output,
                               const TileTransposer::Options& options, const PassReports& reports);

// "12 bands of 400x5000 and 13 ranges of 5000x390".
std::string pass_text(const TwoPassPlan& plan);

// Of the whole array. Throws Error where the library serves no such permutation.
TileWork band_work(const TwoPassPlan& plan, const std::vector<std::int64_t>& extents);

}  // namespace xpose::app
