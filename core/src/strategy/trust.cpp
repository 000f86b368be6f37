#include "strategy/trust.hpp"

#include <algorithm>

namespace xpose {
Trust trust_of(std::vector<double> errors, bool is_shipped) {
  if (is_shipped) return {1, true};
  if (errors.empty()) return {std::nullopt, false};
  const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
  std::ranges::nth_element(errors, middle);
  return {std::max(1.0, *middle), false};
}

}  // namespace xpose
