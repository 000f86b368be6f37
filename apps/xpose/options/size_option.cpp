#include "options/size_option.hpp"

#include <charconv>

namespace xpose::app {

std::uint64_t size_of(const po::variables_map& values, const std::string& option,
                      std::uint64_t least) {
  constexpr std::string_view kUnits = "KMGT";
  const auto& text = values[option].as<std::string>();
  std::uint64_t size = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, size);
  const std::string_view suffix(rest, end);
  const std::size_t unit = suffix.empty() ? kUnits.npos : kUnits.find(suffix.front());
  const bool has_unit = unit != kUnits.npos && (suffix.size() == 1 || suffix.substr(1) == "iB");
  const std::size_t shift = has_unit ? 10 * (unit + 1) : 0;
  const bool is_read = error == std::errc() && (has_unit || suffix.empty());
  if (!is_read || size > std::uint64_t{1} << (60 - shift) || size << shift < least)
    throw UsageError("--" + option + " is " + std::to_string(least >> 20) +
                     "M or more and less than 2^60 bytes, in K, M, G or T of 1024, such as 512M or "
                     "4GiB, not '" +
                     text + "'");
  return size << shift;
}

}  // namespace xpose::app
