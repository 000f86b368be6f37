#include "names.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace xpose {
namespace {

constexpr std::array<std::string_view, 12> verdict_names = {
    "ok",      "unsupported", "wrong_result", "wrote_outside", "modified_input", "device_error",
    "crashed", "exited",      "timed_out",    "no_memory",     "protocol_error", "load_refused"};

}  // namespace

std::string to_string(Device device) {
  return device.kind == DeviceKind::host ? "host" : "cuda:" + std::to_string(device.ordinal);
}

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

std::string_view to_string(Verdict verdict) {
  return verdict_names.at(static_cast<std::size_t>(verdict));
}

std::optional<Verdict> parse_verdict(std::string_view name) {
  const auto* found = std::find(verdict_names.begin(), verdict_names.end(), name);
  if (found == verdict_names.end()) return {};
  return static_cast<Verdict>(found - verdict_names.begin());
}

const char* version() { return XPOSE_VERSION; }

}  // namespace xpose
