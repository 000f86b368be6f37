#include "run.hpp"

#include <algorithm>
#include <array>
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
  constexpr std::array<std::uint64_t, 5> kServed = {1, 2, 4, 8, 16};
  if (std::ranges::count(kServed, header.item_bytes) == 0)
    throw std::runtime_error(path.string() + ": item size " + std::to_string(header.item_bytes) +
                             " (dtype " + dtype_name(header) +
                             ") is not served: xpose moves elements of 1, 2, 4, 8 or 16 bytes");
}

// How an array was moved, for the closing sentence.
struct Move {
  std::string how;
  double seconds = 0;
};

template <class Work>
double seconds_of(const Work& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// The memory of a Fortran-order array is its transpose in C order.
Move copy(const Array& in, std::byte* out) {
  return {"a plain copy", seconds_of([&] {
            if (!in.data.empty()) std::memcpy(out, in.data.data(), in.data.size());
          })};
}

Move transpose_on_host(const Array& in, std::byte* out, const Problem& problem, Engine& engine,
                       const PlanOptions& options) {
  const Plan plan = engine.plan(aligned_as(problem, in.data.data(), out), options);
  return {to_string(plan.variant()), seconds_of([&] { plan.execute(in.data.data(), out); })};
}

Move transpose_on_device(const Array& in, std::byte* out, const Problem& problem, Engine& engine,
                         const PlanOptions& options) {
  DeviceMemory device_in(problem.device, in.data.size());
  const DeviceMemory device_out(problem.device, in.data.size());
  const Plan plan = engine.plan(aligned_as(problem, device_in.data(), device_out.data()), options);
  return {to_string(plan.variant()), seconds_of([&] {
            device_in.upload(in.data.data(), in.data.size());
            plan.execute(device_in.data(), device_out.data());
            device_out.download(out, in.data.size());
          })};
}

Move transpose(const Array& in, std::byte* out, const RunOptions& options) {
  const NpyHeader& header = in.header;
  if (header.fortran_order || in.data.empty()) return copy(in, out);
  const Problem problem = matrix(header.shape[0], header.shape[1],
                                 static_cast<std::uint32_t>(header.item_bytes), options.device);
  PlanOptions plan = options.plan;
  if (!options.strategy.empty()) plan.tune.strategies = {options.strategy};
  Engine engine(options.engine);
  return options.device.kind == DeviceKind::host
             ? transpose_on_host(in, out, problem, engine, plan)
             : transpose_on_device(in, out, problem, engine, plan);
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
  const Move move = transpose(in, output.bytes().data() + header.size(), options);
  output.commit();
  if (options.verbose) say(options, in.header, move);
  return 0;
}

}  // namespace xpose::app
