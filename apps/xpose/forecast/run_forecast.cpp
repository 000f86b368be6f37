#include "forecast/run_forecast.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "forecast/disk_trial.hpp"
#include "forecast/known_disks.hpp"
#include "output/pending_file.hpp"
#include "output/progress_line.hpp"
#include "output/table.hpp"
#include "run/pass_setup.hpp"
#include "run/reserved_room.hpp"
#include "run/run_setup.hpp"
#include "run/two_passes.hpp"

namespace xpose::app {
namespace {

void check_files(const RunOptions& options) {
  struct stat status {};
  const bool is_pipe =
      options.in == "-" || (stat(options.in.c_str(), &status) == 0 && S_ISFIFO(status.st_mode));
  if (is_pipe || OutputFile::is_stream(options.out))
    throw std::runtime_error("--plan-only is of files, and " +
                             (is_pipe ? options.in : options.out).string() +
                             " is a pipe: name the files that the run is to have");
}

// The work of a run, without its seconds in memory.
struct Work {
  NpyHeader header;
  std::unique_ptr<FileMove> tiles;  // of one pass; none: nothing is moved
  std::optional<TwoPassPlan> two_passes;
  std::string text;              // of the tiles
  std::vector<PassWork> passes;  // in their order
  std::uint64_t out_bytes = 0;   // of the file
};

// The second pass reads pieces of the scratch file.
std::vector<PassWork> passes_of(const NpyHeader& header, const FileMove& tiles, bool in_turn,
                                const std::optional<TwoPassPlan>& two) {
  const std::uint64_t bytes = header.data_bytes;
  if (!two) return {{bytes, tiles.tiles(), tiles.runs().in, tiles.runs().out, 0, in_turn}};
  const std::uint64_t band = two->band_bytes(0).size(), range = two->range_bytes(0).size();
  return {{bytes, two->bands(), band, band, 0},
          {bytes, steps(*two) - two->bands(), two->piece_bytes(), range, 0}};
}

Work work_of(const RunOptions& options, const InputFile& input, bool is_cached) {
  Work work{header_of(input, options.raw), {}, {}, "nothing to move", {}, 0};
  return with_name(input.name(), [&] {
    const PermutedShape permuted = app::permuted(options.order, work.header.shape);
    const std::uint64_t head =
        options.raw ? 0 : format_npy_header(work.header.descr, false, permuted.out_shape).size();
    work.out_bytes = head + work.header.data_bytes;
    const RunMemory memory = memory_of(options);
    TileLimits limits = tile_limits(memory, work.header.data_bytes, is_cached, false);
    work.tiles =
        tiles_of(work.header, permuted, head, memory, limits, !is_cached && !options.resume);
    if (!work.tiles) return std::move(work);
    work.two_passes =
        two_passes(file_permutation(work.header, permuted, head), *work.tiles, limits.band_bytes,
                   options, is_cached ? kInMemory : kOnDisk, std::nullopt);
    work.text = work.two_passes ? "two passes, " + pass_text(*work.two_passes)
                                : "one pass, " + tiles_text(*work.tiles, limits.in_turn);
    work.passes = passes_of(work.header, *work.tiles, limits.in_turn, work.two_passes);
    return std::move(work);
  });
}

// Throws std::runtime_error where the run could not begin its files. They take no room here, and
// are gone when they are checked.
void check_outputs(const RunOptions& options, const Work& work) {
  const PendingFile output(options.out);
  check_room(output.fd(), work.out_bytes, output.target().string(),
             "cannot reserve its " + std::to_string(work.out_bytes) + " bytes");
  if (work.two_passes) ScratchFile(scratch_folder(options), {0, 0, 0}, std::nullopt);
}

// The seconds of one strip, or band, in memory, the second time. out_bytes: of the memory where its
// output lies.
double tile_seconds(const RunOptions& options, const TileWork& work, std::uint64_t out_bytes,
                    const TileWork& whole) {
  TileTransposer transposer(options.how, work, whole);
  const DeviceMemory in({}, work.in_bytes), out({}, out_bytes);
  std::chrono::duration<double> taken{};
  for (int i = 0; i < 2; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    transposer.transpose(work, static_cast<const std::byte*>(in.data()),
                         static_cast<std::byte*>(out.data()));
    taken = std::chrono::steady_clock::now() - begin;
  }
  return taken.count();
}

// The bytes of the first pass are permuted, and those of a second one gathered.
void add_permuting(Work& work, const RunOptions& options) {
  const TileWork tile = work.two_passes
                            ? band_work(*work.two_passes, work.two_passes->band(0).extents)
                            : work.tiles->most();
  const std::uint64_t out_bytes = work.two_passes ? tile.out_bytes : work.tiles->most_bytes();
  const double seconds = tile_seconds(options, tile, out_bytes, work.tiles->whole());
  for (PassWork& pass : work.passes)
    pass.permuting =
        seconds * static_cast<double>(pass.bytes) / static_cast<double>(tile.out_bytes);
}

// Nothing for a file that is moved before a disk can be measured.
std::optional<DiskCurves> curves_of(const RunOptions& options, const InputFile& input,
                                    bool is_cached) {
  if (input.bytes() < kLeastMeasured) return std::nullopt;
  const std::filesystem::path folder = ScratchFile::folder_beside(options.out);
  const KnownDisks known(options.how.engine);
  const std::string way =
      (is_cached ? "memory" : disk_name(options.in)) + " to " + disk_name(folder);
  const bool is_measured = options.how.plan.policy == Policy::measure;
  if (!is_measured)
    if (auto curves = known.find(way)) return curves;
  say("measuring the disks for some ten seconds");
  DiskCurves curves = measured_curves(input, folder);
  known.keep(way, curves);
  return curves;
}

double seconds_of(const Work& work, const DiskCurves& curves) {
  double seconds = 0;
  for (const PassWork& pass : work.passes) seconds += pass_forecast(pass, curves).seconds;
  return seconds;
}

void print(std::ostream& out, const RunOptions& options, const Work& work,
           const std::optional<DiskCurves>& curves, const Screen& screen) {
  const auto say_line = [&](const std::string& text) {
    out << wrapped_text(text, screen.width) << '\n';
  };
  say_line(one_line(options.in.string()) + ": " + shape_text(work.header.shape) + " of " +
           dtype_name(work.header) + ", " + work.text);
  if (work.passes.empty()) return;
  out << '\n';
  Table table({{"", Table::left},
               {"bytes", Table::right},
               {"that lie together", Table::right},
               {"alone", Table::right}});
  for (const PassWork& pass : work.passes) {
    const auto add = [&](const char* what, const std::string& run, double seconds) {
      table.add({what, bytes_text(pass.bytes), run, curves ? time_text(seconds) : "-"});
    };
    const PassForecast found = curves ? pass_forecast(pass, *curves) : PassForecast{};
    add("read", bytes_text(pass.in_run_bytes), found.reading);
    add("permute", "-", pass.permuting);
    add("write", bytes_text(pass.out_run_bytes), found.writing);
  }
  table.print(out, screen);
  out << '\n';
  if (!curves) {
    say_line("No time is predicted: the file is moved before a disk can be measured.");
    return;
  }
  say_line("Predicted: " + time_text(seconds_of(work, *curves)) + ". A copy in long runs: " +
           time_text(copy_seconds(work.header.data_bytes, *curves)) + '.');
}

Json document_of(const RunOptions& options, const Work& work,
                 const std::optional<DiskCurves>& curves) {
  Json passes = Json::array();
  for (const PassWork& pass : work.passes) {
    const PassForecast found = curves ? pass_forecast(pass, *curves) : PassForecast{};
    const auto known = [&](double seconds) { return curves ? Json(seconds) : Json(nullptr); };
    passes.push_back({{"bytes", pass.bytes},
                      {"tiles", pass.tiles},
                      {"in_run_bytes", pass.in_run_bytes},
                      {"out_run_bytes", pass.out_run_bytes},
                      {"reading_seconds", known(found.reading)},
                      {"permuting_seconds", known(pass.permuting)},
                      {"writing_seconds", known(found.writing)},
                      {"seconds", known(found.seconds)}});
  }
  return {{"schema", "xpose.run_forecast/1"},
          {"in", options.in.string()},
          {"shape", work.header.shape},
          {"dtype", dtype_name(work.header)},
          {"memory", options.memory},
          {"scratch_bytes", work.two_passes ? work.header.data_bytes : 0},
          {"passes", std::move(passes)},
          {"copy_seconds",
           curves ? Json(copy_seconds(work.header.data_bytes, *curves)) : Json(nullptr)},
          {"seconds", curves ? Json(seconds_of(work, *curves)) : Json(nullptr)},
          {"curves", curves ? to_json(*curves) : Json(nullptr)}};
}

}  // namespace

int forecast_command(const RunOptions& options, const std::string& json_target) {
  check_files(options);
  JsonOutput json(json_target);
  InputFile input(options.in);
  const bool is_cached = lies_in_memory(input, options.verbose);
  Work work = work_of(options, input, is_cached);
  check_outputs(options, work);
  std::optional<DiskCurves> curves;
  if (work.tiles) curves = curves_of(options, input, is_cached);
  if (curves) add_permuting(work, options);
  json.write(document_of(options, work, curves));
  if (!json.is_stdout()) print(std::cout, options, work, curves, screen_of(STDOUT_FILENO));
  return 0;
}

}  // namespace xpose::app
