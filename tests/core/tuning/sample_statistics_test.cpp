#include "tuning/sample_statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace xpose {
namespace {

TEST(Quantile, InterpolatesBetweenOrderStatistics) {
  EXPECT_DOUBLE_EQ(quantile({7}, 0.5), 7);
  EXPECT_DOUBLE_EQ(quantile({7}, 1), 7);
  const std::vector<double> four = {40, 10, 30, 20};
  EXPECT_DOUBLE_EQ(quantile(four, 0), 10);
  EXPECT_DOUBLE_EQ(quantile(four, 0.25), 17.5);
  EXPECT_DOUBLE_EQ(quantile(four, 0.5), 25);
  EXPECT_DOUBLE_EQ(quantile(four, 1), 40);
}

TEST(LogRatio, IsTheMeanOverTheRoundsThatBothRan) {
  const LogRatio twice = log_ratio(std::vector<double>{2, 4, 8}, std::vector<double>{1, 2});
  EXPECT_DOUBLE_EQ(twice.mean, std::log(2));
  EXPECT_DOUBLE_EQ(twice.error, 0);
}

TEST(LogRatio, HasTheStandardErrorOfItsMean) {
  // Logarithms of 1 and 3: their deviation is sqrt(2), that of their mean 1.
  const std::vector<double> a = {std::exp(1), std::exp(3)}, ones = {1, 1};
  EXPECT_DOUBLE_EQ(log_ratio(a, ones).mean, 2);
  EXPECT_DOUBLE_EQ(log_ratio(a, ones).error, 1);
}

TEST(LogRatio, OfOneRoundHasNoError) {
  const LogRatio one = log_ratio(std::vector<double>{3}, std::vector<double>{1});
  EXPECT_DOUBLE_EQ(one.mean, std::log(3));
  EXPECT_DOUBLE_EQ(one.error, 0);
}

}  // namespace
}  // namespace xpose
