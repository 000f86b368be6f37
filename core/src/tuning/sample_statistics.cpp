#include "tuning/sample_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace xpose {

double quantile(std::vector<double> values, double q) {
  std::ranges::sort(values);
  const double position = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (position - static_cast<double>(below)) * (values[above] - values[below]);
}

LogRatio log_ratio(std::span<const double> a, std::span<const double> b) {
  const std::size_t rounds = std::min(a.size(), b.size());
  std::vector<double> logs(rounds);
  for (std::size_t i = 0; i < rounds; ++i) logs[i] = std::log(a[i] / b[i]);
  LogRatio ratio;
  ratio.mean = std::accumulate(logs.begin(), logs.end(), 0.0) / static_cast<double>(rounds);
  double squares = 0;
  for (const double x : logs) squares += (x - ratio.mean) * (x - ratio.mean);
  if (rounds > 1) ratio.error = std::sqrt(squares / static_cast<double>(rounds * (rounds - 1)));
  return ratio;
}

}  // namespace xpose
