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
  Variant variant;
  std::size_t index = 0;  // of the problem in the suite, from 0
  Problem problem;
  Verdict verdict = Verdict::ok;  // unsupported where the strategy declines
  std::string detail;
  // Not of this pair, which is the last: the worker's process did not end as it should, after all
  // of them.
  bool at_exit = false;
};

// Which part of the suite runs, and where.
struct ConformanceOptions {
  std::int64_t max_elements = 0;            // leave out larger problems, for slow tools; 0: none
  std::optional<std::size_t> problem = {};  // only the one with this index
  Config config = {};                       // only configs with these values
  // On the model of explain.hpp instead of a device: one run a pair, in this process, whose
  // findings are failures. Throws Error no_strategy where the strategy has none.
  bool model = false;
  EngineOptions engine = {};  // where and with how many threads; the cache is not used
};

// The element sizes that the suite is run on for a card with these element_sizes: all up to 16, and
// three of the fat ones. Any other fat size may be asked for as well.
XPOSE_API std::vector<std::uint32_t> conformance_sizes(std::uint32_t element_sizes);

// Runs every config of one strategy of a plugin over the suite's problems of one element size: odd
// and prime shapes, one row, one column, whole tiles and one more or less, padded leading
// dimensions, batches, misaligned bases, and squares in place where its card says so. Each pair is
// verified three times, with two plans, and then examined: touches of memory beside the elements,
// or output that depends on it; two launches at once. At last the worker ends in the ordinary way:
// a case only where it crashes, fails or hangs. `each` sees every case. Throws Error: failed where
// the file is refused, no_strategy for an unknown name, device where the strategy's device is
// missing.
XPOSE_API void check_conformance(const std::filesystem::path& plugin, const std::string& strategy,
                                 std::uint32_t element_bytes,
                                 const std::function<void(const ConformanceCase&)>& each,
                                 const ConformanceOptions& options = {});

// Describes one plugin file; PluginInfo::refused says why where it is refused.
XPOSE_API PluginInfo inspect_plugin(const std::filesystem::path& plugin,
                                    const EngineOptions& options = {});

}  // namespace xpose
