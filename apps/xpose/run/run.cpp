#include "run/run.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <functional>
#include <optional>
#include <vector>

#include "output/exit_cleanup.hpp"
#include "output/pending_file.hpp"
#include "output/same_file.hpp"
#include "run/band_pipeline.hpp"
#include "run/file_move.hpp"
#include "run/input_file.hpp"
#include "run/output_file.hpp"
#include "run/pass_setup.hpp"
#include "run/resume.hpp"
#include "run/run_journal.hpp"
#include "run/run_progress.hpp"
#include "run/run_recorder.hpp"
#include "run/run_setup.hpp"
#include "run/transfers_at_once.hpp"
#include "run/two_passes.hpp"

namespace xpose::app {
namespace {

// The journal of a run that can be resumed, and the first step that is still to be done.
struct SoFar {
  RunJournal* journal = nullptr;
  std::int64_t first = 0;
  std::uint64_t record_bytes = 0;  // from one record to the next
};

std::optional<RunRecorder> recorder_of(const SoFar& so_far, OutputFile& output, std::int64_t end,
                                       std::function<std::function<void()>()> flushing) {
  if (so_far.journal == nullptr) return std::nullopt;
  return std::optional<RunRecorder>(
      std::in_place, *so_far.journal, output,
      RunRecorder::Steps{end, so_far.record_bytes, std::move(flushing)});
}

// Returns the variant that moved most of it. tell: hears the next step. [any thread]
std::string move(const InputFile& input, OutputFile& output, const FileMove& tiles,
                 std::int64_t at_once, const SoFar& so_far, const TileTransposer::Options& options,
                 RunProgress& progress, const std::function<void(const char*)>& tell) {
  const TileWork most = tiles.most();
  const std::int64_t first = so_far.first;
  const auto moved = [&](const Strip& strip) { return Strip{first + strip.tile, strip.number}; };
  std::optional<TileTransposer> transposer;  // made while the first tile is read
  auto recorder = recorder_of(so_far, output, tiles.tiles(), [&] { return output.flushing(); });
  run_bands(tiles.tiles() - first, {most.in_bytes, tiles.most_bytes(), at_once},
            {[&](std::int64_t i) { return tiles.strips(first + i); },
             [&](const Strip& strip, std::byte* in) { tiles.read(input, moved(strip), in); },
             [&](const Strip& strip, const std::byte* in, std::byte* out) {
               if (!transposer) {
                 tell("choosing a strategy, and transposing");
                 transposer.emplace(options, most, tiles.whole());
               }
               const PlacedWork work = tiles.work(moved(strip));
               transposer->transpose(work.work, in, out + work.out_place);
             },
             [&](std::int64_t i, const std::byte* out) {
               if (i == 0) tell("writing");
               tiles.write(output, first + i, out);
               const std::uint64_t bytes = tiles.bytes(first + i);
               if (recorder) recorder->wrote(first + i, bytes);
               progress.written(bytes);
             }});
  return transposer ? transposer->chosen() : "nothing";
}

// "a.npy: 700x900 of <f4, 12 tiles of 700x64".
std::string plan_text(const NpyHeader& header, const FileMove& tiles, bool in_turn,
                      const std::string& name) {
  return name + ": " + shape_text(header.shape) + " of " + dtype_name(header) + ", " +
         tiles_text(tiles, in_turn);
}

TileTransposer::Options with_warnings(const RunOptions& options, RunProgress& progress) {
  TileTransposer::Options with = options.how;
  with.engine.warn = [&](std::string_view text) { progress.say("warning: " + std::string(text)); };
  return with;
}

void say_where(RunProgress& progress, const char* step, std::int64_t first) {
  if (first != 0)
    progress.say(std::string("going on behind ") + step + ' ' + std::to_string(first));
}

// Takes the steps that are still to be taken, and reports. Returns the variant.
std::string moved_twice(const InputFile& input, ScratchFile& scratch, OutputFile& output,
                        const NpyHeader& header, const TwoPassPlan& plan, const SoFar& so_far,
                        const RunOptions& options) {
  std::uint64_t bytes = 2 * header.data_bytes;
  for (std::int64_t step = 0; step < so_far.first; ++step) bytes -= step_bytes(plan, step);
  RunProgress progress(bytes);
  if (options.verbose) {
    progress.say(input.name() + ": " + shape_text(header.shape) + " of " + dtype_name(header) +
                 " in two passes, " + pass_text(plan) + ", through " + scratch.name());
    say_where(progress, "step", so_far.first);
  }
  auto bands = recorder_of(so_far, output, plan.bands(), [&] { return scratch.flushing(); });
  auto ranges = recorder_of(so_far, output, steps(plan), [&] { return output.flushing(); });
  return move_in_two_passes(plan, so_far.first, input, scratch, output,
                            with_warnings(options, progress),
                            {[&](const char* stage) {
                               if (options.verbose) progress.say(stage);
                             },
                             [&](std::int64_t step, std::uint64_t written) {
                               auto& recorder = step < plan.bands() ? bands : ranges;
                               if (recorder) recorder->wrote(step, written);
                               progress.written(written);
                             }});
}

// Moves the tiles that are still to be moved, and reports. Returns the variant.
std::string moved(const InputFile& input, OutputFile& output, const NpyHeader& header,
                  const FileMove& tiles, bool in_turn, const SoFar& so_far,
                  const RunOptions& options) {
  std::uint64_t bytes = header.data_bytes;
  for (std::int64_t tile = 0; tile < so_far.first; ++tile) bytes -= tiles.bytes(tile);
  RunProgress progress(bytes);
  if (options.verbose) progress.say(plan_text(header, tiles, in_turn, input.name()));
  if (options.verbose) say_where(progress, "tile", so_far.first);
  return move(input, output, tiles, in_turn ? 1 : kBandBuffers, so_far,
              with_warnings(options, progress), progress, [&](const char* stage) {
                if (options.verbose) progress.say(stage);
              });
}

// A file that waits for the disk in any case is written past the page cache.
void begin_output(OutputFile& output, const std::string& head, const NpyHeader& header,
                  const RunMemory& memory, bool verbose) {
  if (header.data_bytes > memory.dirty_bytes && output.open_direct() && verbose)
    say(std::string("writing ") + (output.edges() == nullptr ? "long ranges " : "") +
        "past the page cache, " + at_once_text());
  output.write(0, std::as_bytes(std::span(head)), {true, false});
}

SoFar begun(RunJournal& journal, OutputFile& output, const RunSteps& steps,
            std::uint64_t record_bytes, const RunOptions& options) {
  if (steps.scratch == nullptr)
    ScratchFile::remove_kept(scratch_folder(options), PendingFile::resolved(options.out));
  return {&journal, journal.begin(output, steps), record_bytes};
}

// Moves all that is to be moved. A run that fails before anything is done leaves nothing, which
// another command would meet. Returns the variant.
template <class Move>
std::string or_withdrawn(const std::optional<RunJournal>& journal, OutputFile& output,
                         ScratchFile* scratch, const Move& move) try {
  return move();
} catch (...) {
  if (journal && !journal->has_steps()) {
    output.go();
    if (scratch != nullptr) scratch->go();
    journal->forget();
  }
  throw;
}

// A stream is written while the input is still read.
void check_apart(const InputFile& input, const RunOptions& options) {
  struct stat output {};
  const int failed =
      options.out == "-" ? fstat(STDOUT_FILENO, &output) : stat(options.out.c_str(), &output);
  if (failed == 0 && are_one(input.status(), output))
    throw std::runtime_error(
        input.name() +
        " is the output as well, and a stream would overwrite what is still to be read: give the "
        "name of the file as the output");
}

// The input, where neither it nor the output nor the scratch folder is refused.
InputFile opened(const RunOptions& options, bool is_stream) {
  if (options.resume) check_resumable(options);
  if (options.verbose) say("reading " + options.in.string());
  InputFile input(options.in);
  if (is_stream)
    check_apart(input, options);
  else if (!options.resume)
    say_what_is_left(options);
  if (!options.scratch.empty()) ScratchFile::check_folder(options.scratch);
  return input;
}

void set_last_words(const RunOptions& options, bool is_stream) {
  ExitCleanup::set_last_words((options.out == "-" ? "the standard output" : options.out.string()) +
                              (is_stream        ? " is incomplete"
                               : options.resume ? " is unchanged; the same command goes on"
                                                : " is unchanged"));
}

void say_done(const RunOptions& options, const NpyHeader& header, const std::string& how,
              std::chrono::duration<double> taken) {
  std::array<char, 32> milliseconds{};
  std::snprintf(milliseconds.data(), milliseconds.size(), "%.3g ms", taken.count() * 1e3);
  say(options.in.string() + " (" + shape_text(header.shape) + ' ' + dtype_name(header) + ") -> " +
      options.out.string() + " with " + how + " in " + milliseconds.data());
}

}  // namespace

int run_command(const RunOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  const bool is_stream = OutputFile::is_stream(options.out);
  set_last_words(options, is_stream);
  InputFile input = opened(options, is_stream);
  const NpyHeader header = header_of(input, options.raw);
  check_rest(input, header, options.out);
  const RunMemory memory = memory_of(options);
  const PermutedShape permuted =
      with_name(input.name(), [&] { return app::permuted(options.order, header.shape); });
  const std::string head =
      options.raw ? "" : format_npy_header(header.descr, false, permuted.out_shape);
  const bool is_cached = lies_in_memory(input, options.verbose);
  TileLimits limits = tile_limits(memory, header.data_bytes, is_cached, is_stream);
  std::optional<RunJournal> journal;
  if (options.resume) {
    journal.emplace(journal_of(options, input, header, permuted));
    limits = journal->limits(limits);
  }
  if (journal && journal->is_published()) return finish_published(*journal, options);
  const bool may_take_turns = !is_cached && !is_stream && !journal;
  const auto tiles = with_name(input.name(), [&] {
    return tiles_of(header, permuted, head.size(), memory, limits, may_take_turns);
  });
  const auto passes = with_name(input.name(), [&] {
    return !tiles ? std::nullopt
                  : two_passes(file_permutation(header, permuted, head.size()), *tiles,
                               limits.band_bytes, options, is_cached ? kInMemory : kOnDisk,
                               journal ? journal->has_two_passes() : std::nullopt);
  });
  if (journal && tiles) journal->check_memory(buffer_bytes(*tiles, passes), free_memory(Device{}));
  OutputFile output(options.out, head.size() + header.data_bytes, memory.dirty_bytes,
                    journal ? TemporaryFile::Kind::kept : TemporaryFile::Kind::nameless);
  auto scratch = passes ? scratch_of(options, header.data_bytes, memory.dirty_bytes) : nullptr;
  if (tiles && !scratch && !tiles->writes_in_order()) output.keep();
  begin_output(output, head, header, memory, options.verbose);
  const std::string how = or_withdrawn(journal, output, scratch.get(), [&]() -> std::string {
    SoFar so_far;
    if (journal)
      so_far = begun(*journal, output,
                     {scratch ? steps(*passes)
                      : tiles ? tiles->tiles()
                              : 0,
                      limits, scratch.get()},
                     record_bytes(memory, scratch || (tiles && tiles->writes_in_order())), options);
    if (scratch) return moved_twice(input, *scratch, output, header, *passes, so_far, options);
    return tiles ? moved(input, output, header, *tiles, limits.in_turn, so_far, options)
                 : "nothing";
  });
  input.check_unchanged();
  if (options.verbose) say("waiting for the disk");
  output.commit([&] { ExitCleanup::set_last_words(options.out.string() + " is complete"); });
  if (scratch) scratch->go();
  scratch.reset();
  if (journal) journal->remove();
  if (options.verbose) say_done(options, header, how, std::chrono::steady_clock::now() - begin);
  return 0;
}

}  // namespace xpose::app
