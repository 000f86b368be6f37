// What a race's decisions are made of: order statistics of samples, and two variants compared
// round by round. Pure functions. [any thread]
#pragma once

#include <span>
#include <vector>

namespace xpose {

// Linear interpolation between order statistics (the default of R and NumPy). Of at least one
// value, unsorted; q is 0 for the smallest, 0.5 for the median, 1 for the largest.
double quantile(std::vector<double> values, double q);

// Mean and standard error of log(a / b) over the rounds both ran, which are the first ones of both:
// what slows a round down slows both, and cancels. Of one round the error is 0.
struct LogRatio {
  double mean = 0;
  double error = 0;
};
LogRatio log_ratio(std::span<const double> a, std::span<const double> b);

}  // namespace xpose
