// Statistics of samples: their order, and the comparison of two variants round by round. Pure
// functions. [any thread]
#pragma once

#include <span>
#include <vector>

namespace xpose {

// Linear interpolation between order statistics (the default of R and NumPy). Of at least one
// value, unsorted; q is 0 for the smallest, 0.5 for the median, 1 for the largest.
double quantile(std::vector<double> values, double q);

// Mean and standard error of log(a / b) over the rounds that both ran, which are the first ones of
// both. A disturbance of a whole round slows both down and cancels. The error of one round is 0.
struct LogRatio {
  double mean = 0;
  double error = 0;
};
LogRatio log_ratio(std::span<const double> a, std::span<const double> b);

}  // namespace xpose
