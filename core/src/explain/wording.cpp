#include "explain/wording.hpp"

#include <array>
#include <cstdio>

namespace xpose {
namespace {

std::string formatted(const char* format, double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

}  // namespace

std::string percent(double share) { return formatted("%.1f %%", 100 * share); }

std::string times(double factor) {
  std::string text = formatted(factor < 10 ? "%.2f" : "%.1f", factor);
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::string kilobytes(std::uint64_t bytes) {
  return times(static_cast<double>(bytes) / 1024) + " KiB";
}

}  // namespace xpose
