#include <string>

#include "process/environment.hpp"
#include "xpose/xpose.hpp"

namespace xpose {

std::optional<Policy> imposed_policy() {
  const char* const word = environment("XPOSE_POLICY");
  if (word == nullptr) return std::nullopt;
  const std::string_view name = word;
  if (name == "measure") return Policy::measure;
  if (name == "estimate") return Policy::estimate;
  if (name == "cached_only") return Policy::cached_only;
  throw Error(ErrorKind::invalid, "XPOSE_POLICY is '" + one_line(name, 64) +
                                      "', which names no policy; set it to measure, estimate or "
                                      "cached_only, or unset it");
}

}  // namespace xpose
