#include "text/names.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "xpose/explain.hpp"

namespace xpose {
namespace {

constexpr std::array<std::string_view, 13> kVerdictNames = {
    "ok",           "unsupported",    "wrong_result", "wrote_outside",
    "read_outside", "modified_input", "device_error", "crashed",
    "exited",       "timed_out",      "no_memory",    "protocol_error",
    "load_refused"};
constexpr std::array<std::string_view, 4> kRoleNames = {"transpose", "copy", "numeric",
                                                        "experiment"};

template <class Enum, std::size_t size>
std::optional<Enum> parse(const std::array<std::string_view, size>& names, std::string_view name) {
  const auto* found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return {};
  return static_cast<Enum>(found - names.begin());
}

}  // namespace

std::string to_string(Device device) {
  return device.kind == DeviceKind::host ? "host" : "cuda:" + std::to_string(device.ordinal);
}

std::string_view to_string(Verdict verdict) {
  return kVerdictNames.at(static_cast<std::size_t>(verdict));
}

std::optional<Verdict> parse_verdict(std::string_view name) {
  return parse<Verdict>(kVerdictNames, name);
}

std::string_view to_string(Role role) { return kRoleNames.at(static_cast<std::size_t>(role)); }

std::optional<Role> parse_role(std::string_view name) { return parse<Role>(kRoleNames, name); }

const char* version() { return XPOSE_VERSION; }

std::string_view to_string(FindingKind kind) {
  switch (kind) {
    case FindingKind::out_of_bounds:
      return "out_of_bounds";
    case FindingKind::divergent_barrier:
      return "divergent_barrier";
    case FindingKind::race:
      return "race";
    case FindingKind::uninitialised_shared:
      return "uninitialised_shared";
    case FindingKind::wrong_output:
      return "wrong_output";
  }
  return "unknown";
}

std::string to_string(const Finding& finding) {
  std::string text;
  if (!finding.where.file.empty())
    text = finding.where.file.substr(finding.where.file.find_last_of('/') + 1) + ':' +
           std::to_string(finding.where.line) + ": ";
  else if (finding.kind != FindingKind::wrong_output)
    text = "at an unknown line, as the plugin has no debug information: ";
  text += to_string(finding.kind);
  if (finding.kind != FindingKind::wrong_output)
    text +=
        ", block " + std::to_string(finding.block) + ", thread " + std::to_string(finding.thread);
  text += ": " + finding.text;
  if (finding.times > 1) text += " (" + std::to_string(finding.times) + " times)";
  return text;
}

}  // namespace xpose
