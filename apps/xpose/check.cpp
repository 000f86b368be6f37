#include <iostream>
#include <map>

#include "options.hpp"

namespace xpose::app {
namespace {

constexpr std::uint32_t element_sizes[] = {1, 2, 4, 8, 16};

struct Tally {
  std::size_t ok = 0;
  std::size_t declined = 0;
  std::size_t failed = 0;
  std::map<std::string, std::size_t> reasons;  // of what was declined
};

void print_failure(const ConformanceCase& one) {
  std::cout << "FAILED " << to_string(one.variant) << " on " << to_string(one.problem) << ": "
            << to_string(one.verdict) << ": " << one.detail << '\n';
}

// One strategy and element size; an exit code.
int check_one(const std::string& plugin, const StrategyInfo& strategy, std::uint32_t bytes,
              std::int64_t max_elements) {
  const std::string title = strategy.name + ", elements of " + std::to_string(bytes) + " bytes";
  if (strategy.device_kind == DeviceKind::cuda)
    if (const std::string reason = cuda_unavailable_reason(); !reason.empty()) {
      std::cout << "SKIPPED " << title << ": " << reason << '\n';
      return skipped;
    }
  Tally tally;
  check_conformance(
      plugin, strategy.name, bytes,
      [&](const ConformanceCase& one) {
        if (one.verdict == Verdict::ok) {
          ++tally.ok;
        } else if (one.verdict == Verdict::unsupported && !one.detail.empty()) {
          ++tally.declined;
          ++tally.reasons[one.detail];
        } else {
          if (++tally.failed <= 20) print_failure(one);
        }
      },
      max_elements);
  std::cout << title << ": " << tally.ok << " right, " << tally.declined << " declined, "
            << tally.failed << " failed\n";
  for (const auto& [reason, count] : tally.reasons)
    std::cout << "  declined " << count << " times: " << reason << '\n';
  if (tally.ok == 0 && tally.failed == 0) {
    std::cout << "FAILED " << title
              << ": no config serves any problem of the suite; take the size off the card\n";
    return not_verified;
  }
  return tally.failed == 0 ? done : not_verified;
}

}  // namespace

int check(const Arguments& arguments) {
  po::options_description options;
  options.add_options()("plugin", po::value<std::string>(), "the plugin file")(
      "strategy", po::value<std::string>()->default_value("")->value_name("NAME"),
      "check only this strategy")("bytes",
                                  po::value<std::uint32_t>()->default_value(0)->value_name("N"),
                                  "check only this element size")(
      "max-elements", po::value<std::int64_t>()->default_value(0)->value_name("N"),
      "leave out larger problems, for runs under slow tools; 0: none")(
      "list", "print one line a test, STRATEGY BYTES LABEL, and check nothing");
  const auto values =
      parse("check",
            "Runs the conformance suite on a plugin: every config of its strategies on awkward\n"
            "problems, each result compared with Eigen's. Exit code 77: no device to check on.",
            options, {"plugin"}, arguments);
  if (!values) return done;
  const auto file = (*values)["plugin"].as<std::string>();
  const auto name = (*values)["strategy"].as<std::string>();
  const auto size = (*values)["bytes"].as<std::uint32_t>();
  const PluginInfo plugin = inspect_plugin(file);
  if (!plugin.refused.empty()) throw Error(ErrorKind::failed, "refused " + plugin.refused);

  int worst = done;
  std::size_t matched = 0;
  std::size_t skips = 0;
  for (const StrategyInfo& strategy : plugin.strategies) {
    if (!name.empty() && strategy.name != name) continue;
    for (const std::uint32_t bytes : element_sizes) {
      if ((strategy.element_sizes & bytes) == 0 || (size != 0 && size != bytes)) continue;
      ++matched;
      if (values->count("list") != 0) {
        std::cout << strategy.name << ' ' << bytes << ' '
                  << (strategy.device_kind == DeviceKind::cuda ? "gpu" : "host") << '\n';
        continue;
      }
      const int code =
          check_one(file, strategy, bytes, (*values)["max-elements"].as<std::int64_t>());
      skips += code == skipped ? 1 : 0;
      if (code != skipped) worst = std::max(worst, code);
    }
  }
  if (matched == 0)
    throw UsageError(plugin.file.filename().string() + " offers no strategy '" + name +
                     "' for that element size");
  return skips == matched ? skipped : worst;
}

}  // namespace xpose::app
