#include "strategy/trust.hpp"

#include <algorithm>

namespace xpose {
namespace {

constexpr std::size_t kShippedEvidence = 3;  // predictions that held, before anything is measured

}  // namespace

Trust trust_of(std::vector<double> errors, bool is_shipped) {
  if (is_shipped) errors.insert(errors.end(), kShippedEvidence, 1.0);
  if (errors.empty()) return {std::nullopt, false};
  const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
  std::ranges::nth_element(errors, middle);
  const double median = std::max(1.0, *middle);
  return {is_shipped && median <= kHeldRatio ? 1 : median, is_shipped};
}

}  // namespace xpose
