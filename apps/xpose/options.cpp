#include "options.hpp"

#include <charconv>
#include <iostream>

#include "progress_line.hpp"

namespace xpose::app {
namespace {

constexpr unsigned kMaxThreads = 65536;  // more processors than a machine has

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return number;
}

// Boost replaces placeholders such as %value% in its message until none is left: where an argument
// holds one, that never ends.
std::string message_of(const po::error& error, const Arguments& arguments) {
  for (const std::string& argument : arguments)
    if (argument.find('%') != std::string::npos)
      return "an option or its value is not understood (no more is said beside an argument with %)";
  return error.what();
}

}  // namespace

std::optional<po::variables_map> parse(const std::string& command, const std::string& about,
                                       const po::options_description& options,
                                       const std::vector<std::string>& positional,
                                       const Arguments& arguments) {
  po::options_description all("Options");
  all.add(options);
  all.add_options()("help,h", "print this help");
  po::positional_options_description names;
  std::string usage = "usage: xpose " + command;
  for (const std::string& name : positional) {
    names.add(name.c_str(), 1);
    std::string upper = name;
    for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    usage += ' ' + upper;
  }
  po::variables_map values;
  try {
    po::store(
        po::command_line_parser(arguments)
            .options(all)
            .positional(names)
            .style(po::command_line_style::unix_style & ~po::command_line_style::allow_guessing)
            .run(),
        values);
    if (values.count("help") != 0) {
      std::cout << usage << " [options]\n\n" << about << "\n\n" << all;
      return std::nullopt;
    }
    po::notify(values);
    for (const std::string& name : positional)
      if (values.count(name) == 0) throw UsageError(command + " needs " + usage.substr(7));
  } catch (const po::error& e) {
    throw UsageError(command + ": " + message_of(e, arguments));
  }
  return values;
}

void add_trial_options(po::options_description& options) {
  options.add_options()("in-process", "try plugins in this process, for debuggers")(
      "stage-seconds", po::value<double>()->default_value(10)->value_name("S"),
      "seconds that one stage of a trial may take");
}

void read_trial_options(const po::variables_map& values, EngineOptions& options) {
  options.in_process = values.count("in-process") != 0;
  options.stage_seconds = values["stage-seconds"].as<double>();
  if (!(options.stage_seconds > 0)) throw UsageError("--stage-seconds is more than 0");
  options.warn = [](std::string_view text) { say("warning: " + std::string(text)); };
}

void add_engine_options(po::options_description& options) {
  options.add_options()("plugins", po::value<std::vector<std::string>>()->value_name("DIR"),
                        "also use the plugins of this folder; may be repeated")(
      "threads", po::value<unsigned>()->default_value(0)->value_name("N"),
      "threads of host strategies; 0: all processors")(
      "cache", po::value<std::string>()->default_value("")->value_name("FILE"),
      "remember choices in this file")("no-cache", "neither read nor write what is remembered");
  add_trial_options(options);
}

EngineOptions engine_options(const po::variables_map& values) {
  EngineOptions options;
  read_trial_options(values, options);
  options.threads = values["threads"].as<unsigned>();
  if (options.threads > kMaxThreads)  // -1 is read as 2^32 - 1
    throw UsageError("--threads is a number from 0 to " + std::to_string(kMaxThreads));
  options.cache = values["cache"].as<std::string>();
  options.remember = values.count("no-cache") == 0;
  options.plugin_folders = default_plugin_folders();
  if (values.count("plugins") != 0)
    for (const std::string& folder : values["plugins"].as<std::vector<std::string>>()) {
      if (folder.empty()) throw UsageError("--plugins needs the name of a folder");
      options.plugin_folders.push_back(std::filesystem::absolute(folder));
    }
  return options;
}

std::pair<std::int64_t, std::int64_t> parse_shape(const std::string& text) {
  const std::size_t x = text.find('x');
  if (x != std::string::npos) {
    const auto rows = whole_number(std::string_view(text).substr(0, x));
    const auto cols = whole_number(std::string_view(text).substr(x + 1));
    if (rows && cols && *rows >= 0 && *cols >= 0) return {*rows, *cols};
  }
  throw UsageError("a shape is ROWSxCOLS, such as 4096x4096, not '" + text + "'");
}

Config parse_config(const std::string& text) {
  Config config;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view item = rest.substr(0, rest.find(','));
    const std::size_t equals = item.find('=');
    const auto value =
        equals == std::string_view::npos ? std::nullopt : whole_number(item.substr(equals + 1));
    if (!value || equals == 0)
      throw UsageError("a config is AXIS=VALUE[,AXIS=VALUE...], not '" + text + "'");
    config.push_back({std::string(item.substr(0, equals)), *value});
    rest.remove_prefix(std::min(item.size() + 1, rest.size()));
  }
  return config;
}

}  // namespace xpose::app
