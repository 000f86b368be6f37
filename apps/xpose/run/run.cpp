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
#include "run/band_reader.hpp"
#include "run/input_file.hpp"
#include "run/output_file.hpp"
#include "run/run_progress.hpp"

namespace xpose::app {
namespace {

// "2x3x4"; "scalar" where there is no dimension.
std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const std::int64_t extent : shape)
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text.empty() ? "scalar" : text;
}

NpyHeader header_of(const InputFile& file) try {
  std::vector<std::byte> start(std::min(file.bytes(), kMaxNpyHeaderBytes));
  file.read(0, start);
  NpyHeader header = parse_npy_header(start);
  check_npy_size(header, file.bytes());
  return header;
} catch (const NpyError& error) {
  throw std::runtime_error(file.name() + ": " + error.what());
}

void check_served(const NpyHeader& header, const std::string& name) {
  if (header.shape.size() != 2)
    throw std::runtime_error(name + " is " + std::to_string(header.shape.size()) + "-D (" +
                             shape_text(header.shape) + "): xpose run transposes 2-D arrays");
  if (const std::string refusal = element_size_refusal(header.item_bytes); !refusal.empty())
    throw std::runtime_error(name + ": item size " + std::to_string(header.item_bytes) +
                             " (dtype " + dtype_name(header) + ") is not served: " + refusal);
}

RunMemory memory_of(const RunOptions& options) {
  const Device device = options.how.device;
  return divided_memory(options.memory, free_memory(Device{}),
                        device.kind == DeviceKind::host ? std::numeric_limits<std::uint64_t>::max()
                                                        : free_memory(device));
}

// A tile's output, which is one range of the file or one for each of its rows.
void write_tile(OutputFile& output, const BandPlan& plan, const Tile& tile,
                const std::byte* bytes) {
  const Neighbours written = plan.written_beside(tile);
  const std::int64_t ranges = plan.writes_in_order() ? 1 : tile.cols;
  const std::int64_t rows_of_one = tile.cols / ranges;
  for (std::int64_t i = 0; i < ranges; ++i) {
    const ByteRange row = plan.out_range(tile, tile.col + i);
    const std::size_t size = row.size() * static_cast<std::uint64_t>(rows_of_one);
    output.write(row.begin, {bytes, size}, written);
    bytes += size;
  }
}

// Returns the variant that moved most of it. tell: hears the next step. [any thread]
std::string move(const InputFile& input, OutputFile& output, const BandPlan& plan,
                 const TileTransposer::Options& options, RunProgress& progress,
                 const std::function<void(const char*)>& tell) {
  const BandReader reader(input, plan);
  const FileMatrix& matrix = plan.matrix();
  const auto item_bytes = static_cast<std::uint32_t>(matrix.item_bytes);
  const auto shape = [&](std::int64_t rows, std::int64_t cols) {
    return TileShape{rows, cols, reader.row_pitch(), item_bytes};
  };
  const TileShape whole = {matrix.rows, matrix.cols,
                           static_cast<std::uint64_t>(matrix.cols) * matrix.item_bytes, item_bytes};
  const TileShape most = shape(plan.most_rows(), plan.most_cols());
  std::optional<TileTransposer> transposer;  // made while the first tile is read
  run_bands(
      plan, most.in_bytes(), most.out_bytes(),
      {[&](const Tile& tile, std::byte* in) { reader.read(tile, in); },
       [&](const Tile& tile, const std::byte* in, std::byte* out) {
         if (!transposer) {
           tell("choosing a strategy, and transposing");
           transposer.emplace(options, most, whole);
         }
         transposer->transpose(shape(tile.rows, tile.cols), in, out);
       },
       [&](const Tile& tile, const std::byte* out) {
         if (tile == plan.tile(0)) tell("writing");
         write_tile(output, plan, tile, out);
         progress.written(static_cast<std::uint64_t>(tile.rows * tile.cols) * matrix.item_bytes);
       }});
  return transposer->chosen();
}

// "a.npy: 700x900 of <f4, 12 tiles of 700x64".
std::string plan_text(const NpyHeader& header, const BandPlan& plan, const std::string& name) {
  return name + ": " + shape_text(header.shape) + " of " + dtype_name(header) + ", " +
         std::to_string(plan.size()) + (plan.size() == 1 ? " tile of " : " tiles of ") +
         std::to_string(plan.most_rows()) + "x" + std::to_string(plan.most_cols());
}

}  // namespace

int run_command(const RunOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  const bool is_stream = OutputFile::is_stream(options.out);
  ExitCleanup::set_last_words((options.out == "-" ? "the standard output" : options.out.string()) +
                              (is_stream ? " is incomplete" : " is unchanged"));
  if (options.verbose) say("reading " + options.in.string());
  const InputFile input(options.in);
  const NpyHeader header = header_of(input);
  check_served(header, input.name());

  const std::vector<std::int64_t> shape = {header.shape[1], header.shape[0]};
  const std::string head = format_npy_header(header.descr, false, shape);
  const RunMemory memory = memory_of(options);
  OutputFile output(options.out, head.size() + header.data_bytes, memory.dirty_bytes);
  std::optional<BandPlan> tiles;
  if (header.data_bytes != 0)
    tiles.emplace(file_matrix(header, head.size()),
                  tile_limits(memory, header.data_bytes, input.is_cached(), output.is_stream()));
  if (tiles && !tiles->writes_in_order()) output.keep();
  output.write(0, std::as_bytes(std::span(head)), {true, false});
  std::string how = "nothing";
  if (tiles) {
    const BandPlan& plan = *tiles;
    RunProgress progress(header.data_bytes);
    if (options.verbose) progress.say(plan_text(header, plan, input.name()));
    TileTransposer::Options with = options.how;
    with.engine.warn = [&](std::string_view text) {
      progress.say("warning: " + std::string(text));
    };
    how = move(input, output, plan, with, progress, [&](const char* stage) {
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
