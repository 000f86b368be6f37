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
#include "run/band_pipeline.hpp"
#include "run/file_move.hpp"
#include "run/input_file.hpp"
#include "run/output_file.hpp"
#include "run/run_progress.hpp"

namespace xpose::app {
namespace {

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

// Returns the variant that moved most of it. tell: hears the next step. [any thread]
std::string move(const InputFile& input, OutputFile& output, const FileMove& tiles,
                 const TileTransposer::Options& options, RunProgress& progress,
                 const std::function<void(const char*)>& tell) {
  const TileWork most = tiles.most();
  std::optional<TileTransposer> transposer;  // made while the first tile is read
  run_bands(tiles.tiles(), most.in_bytes, most.out_bytes,
            {[&](std::int64_t tile, std::byte* in) { tiles.read(input, tile, in); },
             [&](std::int64_t tile, const std::byte* in, std::byte* out) {
               if (!transposer) {
                 tell("choosing a strategy, and transposing");
                 transposer.emplace(options, most, tiles.whole());
               }
               transposer->transpose(tiles.work(tile), in, out);
             },
             [&](std::int64_t tile, const std::byte* out) {
               if (tile == 0) tell("writing");
               tiles.write(output, tile, out);
               progress.written(tiles.work(tile).out_bytes);
             }});
  return transposer->chosen();
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

}  // namespace

int run_command(const RunOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  const bool is_stream = OutputFile::is_stream(options.out);
  ExitCleanup::set_last_words((options.out == "-" ? "the standard output" : options.out.string()) +
                              (is_stream ? " is incomplete" : " is unchanged"));
  if (options.verbose) say("reading " + options.in.string());
  const InputFile input(options.in);
  const NpyHeader header = header_of(input, options.raw);
  const RunMemory memory = memory_of(options);
  const auto [head, tiles] = with_name(input.name(), [&] {
    const PermutedShape permuted = app::permuted(options.order, header.shape);
    std::string text =
        options.raw ? "" : format_npy_header(header.descr, false, permuted.out_shape);
    auto cut = tiles_of(header, permuted, text.size(),
                        tile_limits(memory, header.data_bytes, input.is_cached(), is_stream));
    return std::pair(std::move(text), std::move(cut));
  });
  OutputFile output(options.out, head.size() + header.data_bytes, memory.dirty_bytes);
  if (tiles && !tiles->writes_in_order()) output.keep();
  output.write(0, std::as_bytes(std::span(head)), {true, false});
  std::string how = "nothing";
  if (tiles) {
    RunProgress progress(header.data_bytes);
    if (options.verbose) progress.say(plan_text(header, *tiles, input.name()));
    TileTransposer::Options with = options.how;
    with.engine.warn = [&](std::string_view text) {
      progress.say("warning: " + std::string(text));
    };
    how = move(input, output, *tiles, with, progress, [&](const char* stage) {
      if (options.verbose) progress.say(stage);
    });
  }
  input.check_unchanged();
  if (options.verbose) say("waiting for the disk");
  output.commit();
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  if (options.verbose)
    std::fprintf(stderr, "xpose: %s (%s %s) -> %s with %s in %.3g ms\n", options.in.c_str(),
                 shape_text(header.shape).c_str(), dtype_name(header).c_str(), options.out.c_str(),
                 how.c_str(), taken.count() * 1e3);
  return 0;
}

}  // namespace xpose::app
