#include "problem/normal_form.hpp"
#include "xpose/cache.hpp"

namespace xpose {

std::string problem_text(const std::string& key) {
  const std::optional<Problem> problem = problem_of_key(key);
  if (!problem) return key;
  std::string text = to_string(*problem);
  // A decision is for all devices of a class.
  if (problem->device.kind == DeviceKind::cuda) text.resize(text.rfind(':'));
  return text;
}

}  // namespace xpose
