// For authors of plugins: the suite that `xpose check` and the tests of xpose_add_plugin run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <xpose/xpose.hpp>

namespace xpose {

// One variant on one problem of the conformance suite.
struct ConformanceCase {
  Variant variant;                // with a value for every axis
  std::size_t index = 0;          // of the problem in the suite, from 0
  Problem problem;                // in the caller's form
  Verdict verdict = Verdict::ok;  // unsupported where the strategy declines
  std::string detail;             // one line: why the verdict is not ok
  // True: the case is about the end of the worker's process, after all problems. Variant and
  // problem are the last ones that it had run.
  bool at_exit = false;
};

// The part of the suite that runs, and its place.
struct ConformanceOptions {
  std::int64_t max_elements = 0;            // larger problems are left out; 0: none is
  std::optional<std::size_t> problem = {};  // only the problem of this index
  // The configs that meet each problem, at most; 0: every one. Of those that serve it the author's
  // default, and then the ones that have met the fewest problems before.
  std::size_t max_configs = 0;
  // True: the simulator of explain.hpp runs the kernels on the host, in this process, once a case.
  // Its findings are failures.
  bool simulator = false;
  EngineOptions engine = {};  // worker, stage_seconds, in_process, threads and warn are used
};

// The element sizes, in bytes, that the suite runs for a card with these element_sizes: all up to
// 16, and 32, 48 and 256 of the fat ones. check_conformance() takes the other fat sizes as well.
XPOSE_API std::vector<std::uint32_t> conformance_sizes(std::uint32_t element_sizes);

// Runs every config that has the variant's values over the suite's problems of one element size
// (bytes), and calls `each` after every case, in the calling thread. An axis without a value is
// free.
//
//   xpose::check_conformance("./my_plugin.so", {"my_idea"}, 4, [](const auto& one) {
//     if (one.verdict != xpose::Verdict::ok) std::cerr << to_string(one.problem) << one.detail;
//   });
//
// The problems are odd and prime shapes, single rows and columns, whole tiles and one more or less,
// padded leading dimensions, batches, misaligned addresses, and squares in place where the card
// says so. Each case is verified three times, with two plans. It is then examined for touches of
// memory beside the elements, for output that depends on such memory, and for two launches at once
// that disturb each other. At last the worker ends in the ordinary way; a crash, a failure or a
// hang there is one more case.
// Throws Error failed where the file is refused, no_strategy for a name that the plugin does not
// offer or a strategy without a simulator, invalid for an axis or value that the strategy does not
// have or a problem beyond the suite, device where the strategy's device is missing. [any thread]
XPOSE_API void check_conformance(const std::filesystem::path& plugin, const Variant& variant,
                                 std::uint32_t element_bytes,
                                 const std::function<void(const ConformanceCase&)>& each,
                                 const ConformanceOptions& options = {});

// Describes one plugin file, in a worker unless `options` says otherwise. PluginInfo::refused says
// why the file is refused. Throws Error failed where the worker cannot be started. [any thread]
XPOSE_API PluginInfo inspect_plugin(const std::filesystem::path& plugin,
                                    const EngineOptions& options = {});

}  // namespace xpose
