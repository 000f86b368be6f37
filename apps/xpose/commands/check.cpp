#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "commands/commands.hpp"
#include "commands/shell_command.hpp"
#include "output/screen.hpp"
#include "xpose/conformance.hpp"
#include "xpose/detail/name_hint.hpp"

namespace xpose::app {
namespace {

// Larger problems are for devices: the simulator takes some 20 ns for an element.
constexpr std::int64_t kMostSimulatedElements = 70'000;

// A refusal that begins so is about no problem: plugins/README.md asks authors for these words.
constexpr std::string_view kOfThisMachine = "this machine ";

struct Tally {
  std::size_t ok = 0;
  std::size_t declined = 0;
  std::size_t failed = 0;
  std::map<std::string, std::size_t> reasons;  // of what was declined
  std::set<std::size_t> problems;              // what was run
  std::set<std::string> variants;
};

void print_line(const std::string& text, std::size_t indent = 2) {
  std::cout << wrapped_text(text, screen_of(STDOUT_FILENO).width, indent) << '\n';
}

// A command for a shell, which takes it in several lines as well, but not one that is broken inside
// a quoted word.
void print_command(const std::string& title, const std::string& command) {
  constexpr std::size_t kIndent = 4;
  const bool is_quoted = command.find('\'') != std::string::npos;
  const std::size_t width = is_quoted ? kNoLimit : screen_of(STDOUT_FILENO).width;
  std::string text;
  for (const std::string& line :
       wrapped(title + command, width == kNoLimit ? width : width - kIndent - 2))
    text += (text.empty() ? "" : " \\\n" + std::string(kIndent, ' ')) + line;
  std::cout << text << std::endl;
}

void print_failure(const ConformanceCase& one, const std::string& plugin, bool simulator) {
  if (one.at_exit) {
    print_line("FAILED " + one.variant.strategy +
               " at exit: " + std::string(to_string(one.verdict)) + ": " + one.detail);
    return;
  }
  print_line("FAILED " + to_string(one.variant) + " on problem " + std::to_string(one.index) +
             ", " + to_string(one.problem) + ": " + std::string(to_string(one.verdict)) + ": " +
             one.detail);
  print_command("  to reproduce: ", "gdb --args xpose check " + shell_word(plugin) +
                                        " --strategy " + shell_word(to_string(one.variant)) +
                                        " --bytes " + std::to_string(one.problem.element_bytes) +
                                        " --problem " + std::to_string(one.index) +
                                        (simulator ? " --simulator" : " --in-process"));
}

// The configs of a strategy that have these values, for one element size; an exit code.
int check_one(const std::string& plugin, const StrategyInfo& strategy, const Config& config,
              std::uint32_t bytes, const ConformanceOptions& options) {
  const std::string title = strategy.name + ", elements of " + std::to_string(bytes) + " bytes" +
                            (options.simulator ? ", on the simulator" : "");
  if (options.simulator && !strategy.has_simulator) {
    print_line("SKIPPED " + title + ": the strategy has no simulator");
    return skipped;
  }
  if (!options.simulator && strategy.device_kind == DeviceKind::cuda)
    if (const std::string reason = cuda_unavailable_reason(); !reason.empty()) {
      print_line("SKIPPED " + title + ": " + reason);
      return skipped;
    }
  Tally tally;
  check_conformance(
      plugin, {strategy.name, config}, bytes,
      [&](const ConformanceCase& one) {
        if (one.verdict != Verdict::unsupported && !one.at_exit) {
          tally.problems.insert(one.index);
          tally.variants.insert(to_string(one.variant));
        }
        if (one.verdict == Verdict::ok) {
          ++tally.ok;
        } else if (one.verdict == Verdict::unsupported && !one.detail.empty()) {
          ++tally.declined;
          ++tally.reasons[one.detail];
        } else {
          if (++tally.failed <= 20) print_failure(one, plugin, options.simulator);
        }
      },
      options);
  print_line(title + ": " + std::to_string(tally.ok) + " right, " + std::to_string(tally.declined) +
             " declined, " + std::to_string(tally.failed) + " failed\nof " +
             std::to_string(tally.problems.size()) + " problems and " +
             std::to_string(tally.variants.size()) + " configs");
  for (const auto& [reason, count] : tally.reasons)
    print_line(
        "  declined " + std::to_string(count) + (count == 1 ? " time: " : " times: ") + reason, 4);
  const auto ruled_out = std::ranges::find_if(
      tally.reasons, [](const auto& reason) { return reason.first.starts_with(kOfThisMachine); });
  if (tally.ok == 0 && tally.failed == 0 && ruled_out != tally.reasons.end()) {
    print_line("SKIPPED " + title + ": " + ruled_out->first);
    return skipped;
  }
  const bool whole =
      !options.problem && config.empty() && (options.simulator || options.max_elements == 0);
  if (tally.ok == 0 && tally.failed == 0) {
    print_line("FAILED " + title +
               (whole ? ": no config serves any problem of the suite; take the size off the card"
                      : ": nothing of the suite was run"));
    return not_verified;
  }
  return tally.failed == 0 ? done : not_verified;
}

// A line a test: the suite itself, and the suite on the simulator where the strategy has one.
void list_tests(const StrategyInfo& strategy, std::uint32_t bytes) {
  const std::string line = strategy.name + ' ' + std::to_string(bytes) + ' ';
  std::cout << line << (strategy.device_kind == DeviceKind::cuda ? "gpu" : "host") << '\n';
  if (strategy.has_simulator) std::cout << line << "simulator\n";
}

// The request of the command line.
struct Checked {
  std::string file;
  Variant only;             // no strategy: every one
  std::uint32_t bytes = 0;  // 0: every size
  bool list = false;
  ConformanceOptions suite;
};

std::optional<Checked> parse_check(const Arguments& arguments) {
  po::options_description options;
  options.add_options()("plugin", po::value<std::string>()->value_name("FILE"), "the plugin file")(
      "strategy", po::value<std::string>()->value_name("S[{A=V,...}]"),
      "check only this strategy; in braces, only its configs with these values")(
      "bytes", po::value<std::string>()->value_name("N"), "check only this element size")(
      "problem", po::value<std::string>()->value_name("I"), "only the suite's problem number I")(
      "max-elements", po::value<std::string>()->value_name("N"),
      "leave out problems with more elements, for slow tools; 0: "
      "leave out none, the default without "
      "--simulator")(
      "max-configs", po::value<std::string>()->value_name("N"),
      "let each problem meet at most N configs, which take turns; 0: every one, the default")(
      "simulator", "run CUDA strategies on the simulator, in this process, instead of on a device")(
      "list", "print one line a test, STRATEGY BYTES LABEL, and check nothing");
  add_trial_options(options);
  const auto values = parse(
      "check",
      "Runs the conformance suite on a plugin. Every config of its strategies meets awkward "
      "problems, and each result is compared with Eigen's. The suite then examines reads beside "
      "the input, two launches at once, and the end of the process. Trials run in a worker "
      "process, so a crash or a hang is a line of the report. Exit code 77: no device to check on.",
      options, {"plugin"}, arguments);
  if (!values) return std::nullopt;
  Checked asked;
  asked.file = (*values)["plugin"].as<std::string>();
  if (asked.file.empty()) throw UsageError("check needs the name of a plugin file");
  if (values->count("strategy") != 0)
    asked.only = parse_variant((*values)["strategy"].as<std::string>());
  if (values->count("bytes") != 0) asked.bytes = element_bytes_of(*values);
  asked.list = values->count("list") != 0;
  for (const char* const option : {"problem", "max-elements", "max-configs"})
    if (asked.list && values->count(option) != 0)
      throw UsageError(std::string("--list checks nothing: leave --") + option + " out");
  asked.suite.simulator = values->count("simulator") != 0;
  if (values->count("max-elements") != 0)
    asked.suite.max_elements = whole_number_of(*values, "max-elements", 0);
  else if (asked.suite.simulator)
    asked.suite.max_elements = kMostSimulatedElements;
  if (values->count("max-configs") != 0)
    asked.suite.max_configs = static_cast<std::size_t>(whole_number_of(*values, "max-configs", 0));
  if (values->count("problem") != 0)
    asked.suite.problem = static_cast<std::size_t>(whole_number_of(*values, "problem", 0));
  read_trial_options(*values, asked.suite.engine);
  return asked;
}

// The element sizes to check a strategy with; none where it is not asked for.
std::vector<std::uint32_t> sizes_of(const StrategyInfo& strategy, const Checked& asked) {
  if (strategy.role == Role::experiment) return {};
  if (!asked.only.strategy.empty() && strategy.name != asked.only.strategy) return {};
  if (asked.suite.simulator && strategy.device_kind == DeviceKind::host) return {};
  if (asked.bytes == 0) return conformance_sizes(strategy.element_sizes);
  if (!serves_elements(strategy.element_sizes, asked.bytes)) return {};
  return {asked.bytes};
}

std::string nothing_matches(const PluginInfo& plugin, const Checked& asked) {
  std::string text = plugin.file.filename().string() + " offers no " +
                     (asked.suite.simulator ? "CUDA strategy" : "strategy");
  if (!asked.only.strategy.empty()) text += " '" + asked.only.strategy + '\'';
  if (asked.bytes != 0) text += " for elements of " + std::to_string(asked.bytes) + " bytes";
  std::string offered;
  std::vector<std::string> names;
  for (const StrategyInfo& strategy : plugin.strategies) {
    offered += (names.empty() ? "; it offers " : ", ") + strategy.name;
    names.push_back(strategy.name);
  }
  return text + detail::name_hint(asked.only.strategy, names) + offered;
}

}  // namespace

int check(const Arguments& arguments) {
  const std::optional<Checked> asked = parse_check(arguments);
  if (!asked) return done;
  const PluginInfo plugin = inspect_plugin(asked->file, asked->suite.engine);
  if (!plugin.refused.empty()) throw Error(ErrorKind::failed, "refused " + plugin.refused);

  int worst = done;
  std::size_t matched = 0;
  std::size_t skips = 0;
  for (const StrategyInfo& strategy : plugin.strategies)
    for (const std::uint32_t bytes : sizes_of(strategy, *asked)) {
      ++matched;
      if (asked->list) {
        list_tests(strategy, bytes);
        continue;
      }
      const int code = check_one(asked->file, strategy, asked->only.config, bytes, asked->suite);
      skips += code == skipped ? 1 : 0;
      if (code != skipped) worst = std::max(worst, code);
    }
  if (matched == 0 && asked->list && asked->only.strategy.empty() && asked->bytes == 0) return done;
  if (matched == 0) throw Error(ErrorKind::no_strategy, nothing_matches(plugin, *asked));
  return skips == matched ? skipped : worst;
}

}  // namespace xpose::app
