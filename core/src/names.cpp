#include <array>
#include <string>

#include "xpose/xpose.hpp"

namespace xpose {

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
  static constexpr std::array<std::string_view, 12> names = {
      "ok",      "unsupported", "wrong_result", "wrote_outside", "modified_input", "device_error",
      "crashed", "exited",      "timed_out",    "no_memory",     "protocol_error", "load_refused"};
  return names.at(static_cast<std::size_t>(verdict));
}

const char* version() { return XPOSE_VERSION; }

}  // namespace xpose
