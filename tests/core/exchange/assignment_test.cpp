#include "exchange/assignment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace xpose {
namespace {

TEST(AssignmentTest, NoOtherAssignmentGainsMore) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 300; ++i) {
    const std::size_t count = 1 + random() % 7;
    const std::int64_t most = i % 3 == 0 ? 3 : i % 3 == 1 ? 100 : std::int64_t{1} << 58;
    std::vector<std::int64_t> gains(count * count);
    for (std::int64_t& gain : gains)
      gain = std::uniform_int_distribution<std::int64_t>(0, most)(random);
    const auto sum = [&](const std::vector<std::size_t>& columns) {
      std::int64_t all = 0;
      for (std::size_t row = 0; row < count; ++row) all += gains[row * count + columns[row]];
      return all;
    };
    const std::vector<std::size_t> found = best_assignment(
        count, [&](std::size_t row, std::size_t column) { return gains[row * count + column]; });
    std::vector<std::size_t> columns(count);
    std::iota(columns.begin(), columns.end(), std::size_t{0});
    ASSERT_TRUE(std::ranges::is_permutation(found, columns));
    std::int64_t best = 0;
    do best = std::max(best, sum(columns));
    while (std::ranges::next_permutation(columns).found);
    ASSERT_EQ(sum(found), best);
  }
}

}  // namespace
}  // namespace xpose
