#include "options/options.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <iostream>

#include "options/command_line.hpp"
#include "output/absolute_name.hpp"
#include "output/progress_line.hpp"
#include "output/screen.hpp"
#include "xpose/detail/name_hint.hpp"

namespace xpose::app {
namespace {

constexpr std::int64_t kMaxThreads = 65536;  // more processors than a machine has
constexpr double kMaxSeconds = 1e9;          // more than anybody waits

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
      return "an option or its value is not understood (an argument with % hides the details)";
  return error.what();
}

// For one that is not known.
std::string option_hint(const po::unknown_option& error, const po::options_description& options) {
  std::vector<std::string> names;
  for (const auto& option : options.options()) names.push_back("--" + option->long_name());
  return detail::name_hint(error.get_option_name(), names);
}

// The options, their descriptions broken at a width.
po::options_description laid_out(const po::options_description& options, std::size_t width) {
  const auto columns = static_cast<unsigned>(width);
  po::options_description all("Options", columns, columns / 2);
  for (const auto& option : options.options()) all.add(option);
  all.add_options()("help,h", "print this help");
  return all;
}

std::string upper(std::string name) {
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::toupper(c); });
  return name;
}

std::string usage_of(const std::string& command, const std::vector<std::string>& positional) {
  std::string usage = "xpose " + command;
  for (const std::string& name : positional) usage.append(" ").append(upper(name));
  return usage;
}

// Where parse() leaves the words of a command instead of printing its help.
CommandLine*& listener() {
  static CommandLine* line = nullptr;
  return line;
}

// The names and values of an option, from Boost's "VALUE (=default)" and "[=VALUE(=implied)] ...".
OptionWords words_of(const po::option_description& option) {
  OptionWords words;
  words.name = option.long_name();
  if (const std::string name =
          option.canonical_display_name(po::command_line_style::allow_dash_for_short);
      name.size() == 2 && name[0] == '-')
    words.letter = name.substr(1);
  words.about = option.description();
  const auto semantic = option.semantic();
  if (semantic->max_tokens() == 0) return words;
  words.repeats = semantic->is_composing() ||
                  dynamic_cast<const po::typed_value<std::vector<std::string>>*>(semantic.get());
  std::string text = semantic->name();
  if (const std::size_t at = text.find(" (="); at != std::string::npos) {
    words.standard = text.substr(at + 3, text.size() - at - 4);
    text.erase(at);
  }
  if (text.starts_with("[=")) {  // [=VALUE(=implied)]
    const std::size_t at = text.find("(=");
    words.implied = text.substr(at + 2, text.size() - at - 4);
    text = text.substr(2, at - 2);
  }
  words.value = text;
  return words;
}

CommandLine command_line(const std::string& usage, const std::string& about,
                         const po::options_description& options,
                         const std::vector<std::string>& positional) {
  CommandLine line{usage + " [options]", about, {}, {}};
  for (const std::string& name : positional)
    line.arguments.push_back(words_of(options.find(name, false)));
  for (const auto& option : options.options())
    if (std::ranges::find(positional, option->long_name()) == positional.end())
      line.options.push_back(words_of(*option));
  return line;
}

po::variables_map values_of(const po::options_description& options,
                            const std::vector<std::string>& positional,
                            const Arguments& arguments) {
  po::options_description all;
  all.add(options).add_options()("beyond", po::value<std::vector<std::string>>());
  po::positional_options_description names;
  for (const std::string& name : positional) names.add(name.c_str(), 1);
  names.add("beyond", -1);
  po::variables_map values;
  po::store(po::command_line_parser(arguments)
                .options(all)
                .positional(names)
                .style(po::command_line_style::unix_style & ~po::command_line_style::allow_guessing)
                .run(),
            values);
  return values;
}

}  // namespace

std::optional<po::variables_map> parse(const std::string& command, const std::string& about,
                                       const po::options_description& options,
                                       const std::vector<std::string>& positional,
                                       const Arguments& arguments) {
  const std::size_t width = help_width();
  const po::options_description all = laid_out(options, width);
  const std::string usage = usage_of(command, positional);
  const std::string name = command.substr(0, command.find(" --"));
  try {
    po::variables_map values = values_of(all, positional, arguments);
    if (values.count("help") != 0) {
      if (listener() != nullptr) {
        *listener() = command_line(usage, about, all, positional);
        return std::nullopt;
      }
      std::cout << "usage: " << usage << " [options]\n\n"
                << wrapped_text(about, width) << "\n\n"
                << all;
      return std::nullopt;
    }
    if (values.count("beyond") != 0)
      throw UsageError(name + " does not take '" +
                       values["beyond"].as<std::vector<std::string>>().front() +
                       "'; usage: " + usage + " [options]");
    po::notify(values);
    const auto needed = std::ranges::find_if(
        positional, [&](const std::string& argument) { return values.count(argument) == 0; });
    if (needed != positional.end())
      throw UsageError(name + " needs " + upper(*needed) + "; usage: " + usage + " [options]");
    return values;
  } catch (const po::unknown_option& e) {
    throw UsageError(name + ": " + message_of(e, arguments) + option_hint(e, all));
  } catch (const po::error& e) {
    throw UsageError(name + ": " + message_of(e, arguments));
  }
}

CommandLine command_line_of(int (*run)(const Arguments&), Arguments action) {
  CommandLine line;
  action.emplace_back("--help");
  listener() = &line;
  try {
    run(action);
  } catch (...) {
    listener() = nullptr;
    throw;
  }
  listener() = nullptr;
  return line;
}

std::int64_t whole_number_of(const po::variables_map& values, const std::string& option,
                             std::int64_t least, std::int64_t most) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const auto& text = values[option].as<std::string>();
  const auto number = whole_number(text);
  if (!number || *number < least || *number > most)
    throw UsageError("--" + option + ' ' + text + " is not a whole number from " +
                     (least == -kMost ? "-(2^63 - 1)" : std::to_string(least)) + " to " +
                     (most == kMost ? "2^63 - 1" : std::to_string(most)));
  return *number;
}

double seconds_of(const po::variables_map& values, const std::string& option) {
  const auto& text = values[option].as<std::string>();
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || text.empty() ||
      !(number >= 0 && number <= kMaxSeconds))
    throw UsageError("--" + option + ' ' + text + " is not a number of seconds from 0 to 10^9");
  return number;
}

std::uint32_t element_bytes_of(const po::variables_map& values) {
  const auto& text = values["bytes"].as<std::string>();
  const std::int64_t bytes = std::max<std::int64_t>(0, whole_number(text).value_or(0));
  if (const std::string why = element_size_refusal(static_cast<std::uint64_t>(bytes)); !why.empty())
    throw UsageError("--bytes " + text + " is not a size: " + why);
  return static_cast<std::uint32_t>(bytes);
}

void add_trial_options(po::options_description& options) {
  options.add_options()("in-process", "try plugins in this process, for debuggers")(
      "stage-seconds", po::value<std::string>()->default_value("10")->value_name("S"),
      "seconds that one stage of a trial may take");
}

void read_trial_options(const po::variables_map& values, EngineOptions& options) {
  options.in_process = values.count("in-process") != 0;
  options.stage_seconds = seconds_of(values, "stage-seconds");
  if (options.stage_seconds == 0) throw UsageError("--stage-seconds 0 leaves a trial no time");
  options.warn = [](std::string_view text) { say("warning: " + std::string(text)); };
}

void add_engine_options(po::options_description& options) {
  options.add_options()("plugins", po::value<std::vector<std::string>>()->value_name("DIR"),
                        "use the plugins of this folder as well; may be repeated")(
      "threads", po::value<std::string>()->default_value("0")->value_name("N"),
      "threads of host strategies; 0: all processors")(
      "cache", po::value<std::string>()->value_name("FILE"), "file of remembered decisions")(
      "no-cache", "neither read nor write remembered decisions");
  add_trial_options(options);
}

EngineOptions engine_options(const po::variables_map& values) {
  EngineOptions options;
  read_trial_options(values, options);
  options.threads = threads_of(values);
  options.cache = cache_name(values);
  check_cache("--cache", options.cache);
  options.remember = values.count("no-cache") == 0;
  if (options.remember && options.cache.empty()) check_cache_of_environment();
  if (!options.remember && !options.cache.empty())
    throw UsageError("--cache and --no-cache exclude each other: give one of them");
  options.plugin_folders = default_plugin_folders();
  if (values.count("plugins") != 0)
    for (const std::string& folder : values["plugins"].as<std::vector<std::string>>()) {
      if (folder.empty()) throw UsageError("--plugins needs the name of a folder");
      options.plugin_folders.push_back(absolute_name("--plugins", folder));
    }
  return options;
}

void add_variant_option(po::options_description& options, const char* about) {
  options.add_options()("strategy",
                        po::value<std::vector<std::string>>()->value_name("S[{A=V,...}]"), about);
}

std::vector<Variant> variants_of(const po::variables_map& values) {
  std::vector<Variant> variants;
  if (values.count("strategy") != 0)
    for (const std::string& text : values["strategy"].as<std::vector<std::string>>())
      variants.push_back(parse_variant(text));
  return variants;
}

std::size_t help_width() {
  constexpr std::size_t kMost = 80;
  return std::min(kMost, screen_of(STDOUT_FILENO).width);
}

unsigned threads_of(const po::variables_map& values) {
  return static_cast<unsigned>(whole_number_of(values, "threads", 0, kMaxThreads));
}

std::vector<std::int64_t> parse_shape(const std::string& text, std::size_t least_axes) {
  constexpr std::size_t kMostAxes = 64;  // NumPy's
  std::vector<std::int64_t> shape;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('x', begin), text.size());
    const auto extent = whole_number(std::string_view(text).substr(begin, end - begin));
    shape.push_back(extent.value_or(-1));
    begin = end + 1;
  }
  if (shape.size() < least_axes || shape.size() > kMostAxes || std::ranges::min(shape) < 0)
    throw UsageError("--shape " + text + " is not a shape, such as 4096x4096 or 32x16x64: " +
                     std::to_string(least_axes) + " to 64 numbers from 0 to 2^63 - 1");
  return shape;
}

}  // namespace xpose::app
