#include "run/run.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>
#include <vector>

#include "output/exit_cleanup.hpp"
#include "output/pending_file.hpp"
#include "run/band_pipeline.hpp"
#include "run/file_move.hpp"
#include "run/input_file.hpp"
#include "run/output_file.hpp"
#include "run/run_journal.hpp"
#include "run/run_progress.hpp"
#include "run/run_recorder.hpp"
#include "run/scratch_file.hpp"
#include "run/two_passes.hpp"

namespace xpose::app {
namespace {

constexpr double kMostOfIt = 0.875;  // that lies in memory, or does not

// A file of another size has another shape or dtype than was stated.
void check_raw_size(const NpyHeader& array, const InputFile& file) {
  if (array.data_bytes == file.bytes()) return;
  throw std::runtime_error(file.name() + " has " + std::to_string(file.bytes()) + " bytes, and " +
                           shape_text(array.shape) + " of " + dtype_name(array) + " has " +
                           std::to_string(array.data_bytes) +
                           ": give --shape and --dtype of the whole file");
}

NpyHeader header_of(const InputFile& file, const std::optional<NpyHeader>& raw) try {
  if (raw) check_raw_size(*raw, file);
  if (raw) return *raw;
  std::vector<std::byte> start(std::min(file.bytes(), kMaxNpyHeaderBytes));
  file.read(0, start);
  NpyHeader header = parse_npy_header(start);
  check_npy_size(header, file.bytes());
  return header;
} catch (const NpyError& error) {
  throw std::runtime_error(file.name() + ": " + error.what());
}

// A refusal of the shape or of the library names the file.
template <class Call>
auto with_name(const std::string& name, const Call& call) try {
  return call();
} catch (const AxisError& error) {
  throw std::runtime_error(name + ": " + error.what());
} catch (const Error& error) {
  if (error.kind() != ErrorKind::invalid) throw;
  throw std::runtime_error(name + ": " + error.what());
}

RunMemory memory_of(const RunOptions& options) {
  const Device device = options.how.device;
  return divided_memory(options.memory, free_memory(Device{}),
                        device.kind == DeviceKind::host ? std::numeric_limits<std::uint64_t>::max()
                                                        : free_memory(device));
}

// The journal of a run that can be resumed, and the first tile that is still to be moved.
struct SoFar {
  RunJournal* journal = nullptr;
  std::int64_t first = 0;
  std::uint64_t step_bytes = 0;  // from one record to the next
};

// Returns the variant that moved most of it. tell: hears the next step. [any thread]
std::string move(const InputFile& input, OutputFile& output, const FileMove& tiles,
                 const SoFar& so_far, const TileTransposer::Options& options, RunProgress& progress,
                 const std::function<void(const char*)>& tell) {
  const TileWork most = tiles.most();
  const std::int64_t first = so_far.first;
  std::optional<TileTransposer> transposer;  // made while the first tile is read
  std::optional<RunRecorder> recorder;
  if (so_far.journal != nullptr) recorder.emplace(*so_far.journal, output, so_far.step_bytes);
  run_bands(tiles.tiles() - first, most.in_bytes, most.out_bytes,
            {[&](std::int64_t i, std::byte* in) { tiles.read(input, first + i, in); },
             [&](std::int64_t i, const std::byte* in, std::byte* out) {
               if (!transposer) {
                 tell("choosing a strategy, and transposing");
                 transposer.emplace(options, most, tiles.whole());
               }
               transposer->transpose(tiles.work(first + i), in, out);
             },
             [&](std::int64_t i, const std::byte* out) {
               if (i == 0) tell("writing");
               tiles.write(output, first + i, out);
               const std::uint64_t bytes = tiles.work(first + i).out_bytes;
               if (recorder) recorder->wrote(first + i, bytes);
               progress.written(bytes);
             }});
  return transposer ? transposer->chosen() : "nothing";
}

// "a.npy: 700x900 of <f4, 12 tiles of 700x64".
std::string plan_text(const NpyHeader& header, const FileMove& tiles, const std::string& name) {
  return name + ": " + shape_text(header.shape) + " of " + dtype_name(header) + ", " +
         std::to_string(tiles.tiles()) + (tiles.tiles() == 1 ? " tile of " : " tiles of ") +
         tiles.tile_text();
}

// Nothing for an array without elements.
std::unique_ptr<FileMove> tiles_of(const NpyHeader& header, const PermutedShape& permuted,
                                   std::uint64_t out_offset, const TileLimits& limits) {
  if (header.data_bytes == 0) return nullptr;
  std::unique_ptr<FileMove> tiles =
      file_move(file_permutation(header, permuted, out_offset), limits);
  tiles->whole();  // is served
  tiles->most();
  return tiles;
}

// Nothing where one pass is as fast, or all that can be: a run that is resumed goes on in one.
std::optional<TwoPassPlan> two_passes(const FilePermutation& file, const FileMove& tiles,
                                      const RunMemory& memory, const RunOptions& options,
                                      const InputPlace& place) {
  if (options.passes == Passes::one || options.resume || file.array.extents.size() < 2)
    return std::nullopt;
  TwoPassPlan plan(file, memory.tile_bytes);
  const bool are_faster =
      tiles.tiles() > 1 &&
      are_two_faster(one_pass_cost(tiles.runs(), place), two_pass_cost(plan.piece_bytes(), place));
  if (options.passes == Passes::automatic && !are_faster) return std::nullopt;
  band_work(plan, plan.band(0).extents);  // is served
  return plan;
}

// Nothing where there is no room, and one pass is as good as it gets.
std::unique_ptr<ScratchFile> scratch_of(const RunOptions& options, std::uint64_t bytes,
                                        std::uint64_t most_dirty) try {
  const bool is_beside = options.scratch.empty();
  const bool has_others = is_beside && !OutputFile::is_stream(options.out);
  return std::make_unique<ScratchFile>(
      is_beside ? ScratchFile::folder_beside(options.out) : options.scratch, bytes,
      has_others ? bytes : 0, most_dirty);
} catch (const std::runtime_error& error) {
  if (options.passes == Passes::two || !options.scratch.empty()) throw;
  say("warning: " + std::string(error.what()) + "; one pass with short runs takes its place");
  return nullptr;
}

TileTransposer::Options with_warnings(const RunOptions& options, RunProgress& progress) {
  TileTransposer::Options with = options.how;
  with.engine.warn = [&](std::string_view text) { progress.say("warning: " + std::string(text)); };
  return with;
}

std::string moved_twice(const InputFile& input, ScratchFile& scratch, OutputFile& output,
                        const NpyHeader& header, const TwoPassPlan& plan,
                        const RunOptions& options) {
  RunProgress progress(2 * header.data_bytes);
  if (options.verbose)
    progress.say(input.name() + ": " + shape_text(header.shape) + " of " + dtype_name(header) +
                 " in two passes, " + pass_text(plan) + ", through " + scratch.name());
  return move_in_two_passes(plan, input, scratch, output, with_warnings(options, progress),
                            {[&](const char* stage) {
                               if (options.verbose) progress.say(stage);
                             },
                             [&](std::uint64_t bytes) { progress.written(bytes); }});
}

// Moves the tiles that are still to be moved, and reports. Returns the variant.
std::string moved(const InputFile& input, OutputFile& output, const NpyHeader& header,
                  const FileMove& tiles, const SoFar& so_far, const RunOptions& options) {
  std::uint64_t bytes = header.data_bytes;
  for (std::int64_t tile = 0; tile < so_far.first; ++tile) bytes -= tiles.work(tile).out_bytes;
  RunProgress progress(bytes);
  if (options.verbose) progress.say(plan_text(header, tiles, input.name()));
  if (options.verbose && so_far.first != 0)
    progress.say("going on behind tile " + std::to_string(so_far.first));
  return move(input, output, tiles, so_far, with_warnings(options, progress), progress,
              [&](const char* stage) {
                if (options.verbose) progress.say(stage);
              });
}

void check_resumable(const RunOptions& options) {
  for (const auto& path : {options.in, options.out})
    if (OutputFile::is_stream(path))
      throw std::runtime_error((path == "-" ? "a standard stream" : path.string()) +
                               " cannot be read or written again: --resume needs two files");
}

RunJournal journal_of(const RunOptions& options, const InputFile& input, const NpyHeader& header,
                      const PermutedShape& permuted) {
  struct stat target {};
  if (stat(options.out.c_str(), &target) == 0 && target.st_ino == input.status().st_ino &&
      target.st_dev == input.status().st_dev)
    throw std::runtime_error(input.name() +
                             " is the output as well: --resume needs an input that stays");
  const Json order = {{"fortran_order", header.fortran_order},
                      {"shape", permuted.shape},
                      {"axes", permuted.axes},
                      {"out_shape", permuted.out_shape}};
  const Json command = {{"version", XPOSE_VERSION}, {"format", options.raw ? "raw" : "npy"},
                        {"dtype", header.descr},    {"shape", header.shape},
                        {"order", order},           {"memory", options.memory}};
  return RunJournal(PendingFile::resolved(options.out),
                    {input.name(), file_state(input.status()), command});
}

// The rest of a run that was killed behind its last step but one.
int published(const RunJournal& journal, const RunOptions& options) {
  journal.remove();
  if (options.verbose) say(options.out.string() + " is complete already");
  return 0;
}

}  // namespace

int run_command(const RunOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  const bool is_stream = OutputFile::is_stream(options.out);
  ExitCleanup::set_last_words((options.out == "-" ? "the standard output" : options.out.string()) +
                              (is_stream        ? " is incomplete"
                               : options.resume ? " is unchanged; the same command goes on"
                                                : " is unchanged"));
  if (options.resume) check_resumable(options);
  if (options.verbose) say("reading " + options.in.string());
  InputFile input(options.in);
  const NpyHeader header = header_of(input, options.raw);
  const RunMemory memory = memory_of(options);
  const PermutedShape permuted =
      with_name(input.name(), [&] { return app::permuted(options.order, header.shape); });
  const std::string head =
      options.raw ? "" : format_npy_header(header.descr, false, permuted.out_shape);
  const double cached_share = input.cached_share();
  const bool is_cached = cached_share >= kMostOfIt;
  if (cached_share <= 1 - kMostOfIt && input.open_direct() && options.verbose)
    say("reading past the page cache, in several threads");
  TileLimits limits = tile_limits(memory, header.data_bytes, is_cached, is_stream);
  std::optional<RunJournal> journal;
  if (options.resume) {
    journal.emplace(journal_of(options, input, header, permuted));
    limits = journal->limits(limits);
  }
  if (journal && journal->is_published()) return published(*journal, options);
  const auto tiles =
      with_name(input.name(), [&] { return tiles_of(header, permuted, head.size(), limits); });
  const auto passes = with_name(input.name(), [&] {
    return !tiles ? std::nullopt
                  : two_passes(file_permutation(header, permuted, head.size()), *tiles, memory,
                               options, {.is_cached = is_cached});
  });
  OutputFile output(options.out, head.size() + header.data_bytes, memory.dirty_bytes,
                    journal ? TemporaryFile::Kind::kept : TemporaryFile::Kind::nameless);
  const auto scratch =
      passes ? scratch_of(options, header.data_bytes, memory.dirty_bytes) : nullptr;
  if (tiles && !scratch && !tiles->writes_in_order()) output.keep();
  output.write(0, std::as_bytes(std::span(head)), {true, false});
  SoFar so_far;
  if (journal)
    so_far = {&*journal, journal->begin(output, tiles ? tiles->tiles() : 0, limits),
              record_bytes(memory, tiles && tiles->writes_in_order())};
  const std::string how = !tiles    ? "nothing"
                          : scratch ? moved_twice(input, *scratch, output, header, *passes, options)
                                    : moved(input, output, header, *tiles, so_far, options);
  input.check_unchanged();
  if (options.verbose) say("waiting for the disk");
  output.commit();
  if (journal) journal->remove();
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  if (options.verbose)
    std::fprintf(stderr, "xpose: %s (%s %s) -> %s with %s in %.3g ms\n", options.in.c_str(),
                 shape_text(header.shape).c_str(), dtype_name(header).c_str(), options.out.c_str(),
                 how.c_str(), taken.count() * 1e3);
  return 0;
}

}  // namespace xpose::app
