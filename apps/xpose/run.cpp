#include "run.hpp"

#include <chrono>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "exit_cleanup.hpp"
#include "mapped_file.hpp"
#include "npy.hpp"

namespace xpose::app {
namespace {

struct Array {
  NpyHeader header;
  std::span<const std::byte> data;
};

// "2x3x4"; "scalar" where there is no dimension.
std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const std::int64_t extent : shape)
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text.empty() ? "scalar" : text;
}

Array array_in(const MappedInput& file, const std::filesystem::path& path) try {
  NpyHeader header = parse_npy_header(file.bytes());
  const std::span<const std::byte> data = npy_data(header, file.bytes());
  return {std::move(header), data};
} catch (const NpyError& error) {
  throw std::runtime_error(path.string() + ": " + error.what());
}

void check_served(const NpyHeader& header, const std::filesystem::path& path) {
  if (header.shape.size() != 2)
    throw std::runtime_error(path.string() + " is " + std::to_string(header.shape.size()) + "-D (" +
                             shape_text(header.shape) + "): xpose run transposes 2-D arrays");
  if (const std::string refusal = element_size_refusal(header.item_bytes); !refusal.empty())
    throw std::runtime_error(path.string() + ": item size " + std::to_string(header.item_bytes) +
                             " (dtype " + dtype_name(header) + ") is not served: " + refusal);
}

// The two files at work: an array's elements and the room for its transpose.
struct Files {
  const MappedInput& input;
  const PendingOutput& output;
  std::span<const std::byte> in;
  std::byte* out;
};

// How an array was moved, for the closing sentence.
struct Move {
  std::string how;
  double seconds = 0;
};

// Times the work together with the mapping of the pages that it touches.
template <class Work>
Move timed(const std::string& how, const Files& files, const Work& work) {
  const auto begin = std::chrono::steady_clock::now();
  files.input.populate();
  files.output.populate();
  work();
  return {how, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()};
}

// The memory of a Fortran-order array is its transpose in C order.
Move copy(const Files& files) {
  return timed("a plain copy", files, [&] {
    if (!files.in.empty()) std::memcpy(files.out, files.in.data(), files.in.size());
  });
}

Move transpose_on_host(const Files& files, const Problem& problem, Engine& engine,
                       const PlanOptions& options) {
  const Plan plan = engine.plan(aligned_as(problem, files.in.data(), files.out), options);
  return timed(to_string(plan.variant()), files, [&] { plan.execute(files.in.data(), files.out); });
}

Move transpose_on_device(const Files& files, const Problem& problem, Engine& engine,
                         const PlanOptions& options) {
  const std::uint64_t bytes = files.in.size();
  DeviceMemory in(problem.device, bytes);
  const DeviceMemory out(problem.device, bytes);
  const Plan plan = engine.plan(aligned_as(problem, in.data(), out.data()), options);
  return timed(to_string(plan.variant()), files, [&] {
    in.upload(files.in.data(), bytes);
    plan.execute(in.data(), out.data());
    out.download(files.out, bytes);
  });
}

void check_offered(const Engine& engine, const std::string& strategy) {
  for (const PluginInfo& plugin : engine.plugins())
    for (const StrategyInfo& offered : plugin.strategies)
      if (plugin.refused.empty() && offered.name == strategy) return;
  throw Error(ErrorKind::invalid,
              "no loaded plugin offers a strategy '" + strategy + "', see `xpose plugins`");
}

Move transpose(const Files& files, const NpyHeader& header, const RunOptions& options) {
  if (header.fortran_order || files.in.empty()) return copy(files);
  Engine engine(options.engine);
  PlanOptions plan = options.plan;
  if (!options.strategy.empty()) {
    check_offered(engine, options.strategy);
    plan.tune.strategies = {options.strategy};
  }
  const Problem problem = matrix(header.shape[0], header.shape[1],
                                 static_cast<std::uint32_t>(header.item_bytes), options.device);
  return options.device.kind == DeviceKind::host
             ? transpose_on_host(files, problem, engine, plan)
             : transpose_on_device(files, problem, engine, plan);
}

void say(const RunOptions& options, const NpyHeader& header, const Move& move) {
  std::fprintf(stderr, "xpose: %s (%s %s) -> %s with %s in %.3g ms\n", options.in.c_str(),
               shape_text(header.shape).c_str(), dtype_name(header).c_str(), options.out.c_str(),
               move.how.c_str(), move.seconds * 1e3);
}

}  // namespace

int run_command(const RunOptions& options) {
  ExitCleanup cleanup;
  const MappedInput input(options.in);
  cleanup.guard_input(input.bytes(), options.in);
  const Array in = array_in(input, options.in);
  check_served(in.header, options.in);

  const std::vector<std::int64_t> shape = {in.header.shape[1], in.header.shape[0]};
  const std::string header = format_npy_header(in.header.descr, false, shape);
  PendingOutput output(options.out, header.size() + in.data.size());
  cleanup.guard_output(output.bytes(), options.out);
  std::memcpy(output.bytes().data(), header.data(), header.size());
  const Files files = {input, output, in.data, output.bytes().data() + header.size()};
  const Move move = transpose(files, in.header, options);
  input.check_unchanged(options.in);
  output.commit();
  if (options.verbose) say(options, in.header, move);
  return 0;
}

}  // namespace xpose::app
