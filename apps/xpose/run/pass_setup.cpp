#include "run/pass_setup.hpp"

#include <stdexcept>
#include <string>

#include "output/pending_file.hpp"
#include "output/progress_line.hpp"
#include "run/output_file.hpp"
#include "run/two_passes.hpp"

namespace xpose::app {
namespace {

bool are_faster(const RunLengths& runs, const TwoPassPlan& plan, const InputPlace& place) {
  // Bands that are written by way of the page cache stay in it, if the input does.
  const bool stays = place.is_cached && plan.band_bytes(0).size() < DirectWrites::kLeastBytes;
  return are_two_faster(one_pass_cost(runs, place),
                        two_pass_cost(plan.piece_bytes(), place, {place.run_bytes, stays}));
}

}  // namespace

std::optional<TwoPassPlan> two_passes(const FilePermutation& file, const FileMove& tiles,
                                      std::uint64_t most_bytes, const RunOptions& options,
                                      const InputPlace& place, std::optional<bool> begun) {
  if (options.passes == Passes::one || file.array.extents.size() < 2) return std::nullopt;
  TwoPassPlan plan(file, most_bytes);
  const bool are_taken = tiles.tiles() > 1 && are_faster(tiles.runs(), plan, place);
  if (options.passes == Passes::automatic && !begun.value_or(are_taken)) return std::nullopt;
  band_work(plan, plan.band(0).extents);  // is served
  return plan;
}

std::filesystem::path scratch_folder(const RunOptions& options) {
  return options.scratch.empty() ? ScratchFile::folder_beside(options.out) : options.scratch;
}

std::unique_ptr<ScratchFile> scratch_of(const RunOptions& options, std::uint64_t bytes,
                                        std::uint64_t most_dirty) try {
  const bool has_others = options.scratch.empty() && !OutputFile::is_stream(options.out);
  const ScratchFile::Size size = {bytes, has_others ? bytes : 0, most_dirty};
  std::optional<std::filesystem::path> kept_for;
  if (options.resume) kept_for = PendingFile::resolved(options.out);
  auto scratch = std::make_unique<ScratchFile>(scratch_folder(options), size, kept_for);
  if (bytes > most_dirty) scratch->open_direct();
  return scratch;
} catch (const std::runtime_error& error) {
  if (options.passes == Passes::two || !options.scratch.empty()) throw;
  say("warning: " + std::string(error.what()) + "; one pass with short runs takes its place");
  return nullptr;
}

}  // namespace xpose::app
