// "smem_pad{tile=64,rows=8}", written and read.
#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include "xpose/xpose.hpp"

namespace xpose {
namespace {

bool is_name(std::string_view text) {
  return !text.empty() && text.find_first_of("{}=,") == std::string_view::npos;
}

std::optional<AxisValue> parse_axis_value(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || !is_name(text.substr(0, equals))) return {};
  AxisValue read{std::string(text.substr(0, equals)), 0};
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data() + equals + 1, end, read.value);
  if (error != std::errc() || rest != end) return {};
  return read;
}

// "{tile=64,rows=8}"
std::optional<Config> parse_config(std::string_view text) {
  if (text.size() < 2 || text.front() != '{' || text.back() != '}') return {};
  text = text.substr(1, text.size() - 2);
  Config config;
  for (;;) {
    const std::size_t comma = text.find(',');
    auto read = parse_axis_value(text.substr(0, comma));
    if (!read) return {};
    config.push_back(std::move(*read));
    if (comma == std::string_view::npos) return config;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace

std::string to_string(const Variant& variant) {
  std::string text = variant.strategy;
  if (variant.config.empty()) return text;
  char separator = '{';
  for (const AxisValue& value : variant.config) {
    text += separator + value.axis + '=' + std::to_string(value.value);
    separator = ',';
  }
  return text + '}';
}

Variant parse_variant(std::string_view text) {
  const std::string_view strategy = text.substr(0, text.find('{'));
  const std::string_view braces = text.substr(strategy.size());
  const auto config = braces.empty() ? std::optional(Config()) : parse_config(braces);
  if (!is_name(strategy) || !config)
    throw Error(ErrorKind::invalid,
                '\'' + one_line(text, 128) +
                    "' is not a variant: write STRATEGY or STRATEGY{AXIS=VALUE,...} with whole "
                    "numbers, in quotes on a command line");
  return {std::string(strategy), *config};
}

}  // namespace xpose
