// The passes of a run, and their scratch file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "run/file_move.hpp"
#include "run/pass_choice.hpp"
#include "run/run.hpp"
#include "run/scratch_file.hpp"
#include "run/two_pass_plan.hpp"

namespace xpose::app {

// tiles: of one pass. most_bytes: of a band. begun: what the run that goes on has. Nothing where
// one pass is as fast, or all that can be. Throws Error where the library serves no such
// permutation.
std::optional<TwoPassPlan> two_passes(const FilePermutation& file, const FileMove& tiles,
                                      std::uint64_t most_bytes, const RunOptions& options,
                                      const InputPlace& place, std::optional<bool> begun);

std::filesystem::path scratch_folder(const RunOptions& options);

// Nothing where there is no room, and one pass is as good as it gets. Throws std::runtime_error as
// ScratchFile does.
std::unique_ptr<ScratchFile> scratch_of(const RunOptions& options, std::uint64_t bytes,
                                        std::uint64_t most_dirty);

}  // namespace xpose::app
