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
  const std::size_t unit = rest == end ? kUnits.npos : kUnits.find(*rest);
  const std::size_t shift = unit == kUnits.npos ? 0 : 10 * (unit + 1);
  const bool is_read = error == std::errc() && rest + (unit == kUnits.npos ? 0 : 1) == end;
  if (!is_read || size > std::uint64_t{1} << (60 - shift) || size << shift < least)
    throw UsageError("--" + option + " is " + std::to_string(least >> 20) +
                     "M or more, such as 512M or 4G, not '" + text + "'");
  return size << shift;
}

}  // namespace xpose::app
