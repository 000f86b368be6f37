// What `odd` may ask of memory at most, in every config and for every element that it serves, by
// the simulator: sectors over those that the bytes fill, and wavefronts of shared memory over those
// that the accesses need.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "budgets.hpp"

namespace xpose {
namespace {

struct Limits {
  double store_sectors;
  double load_wavefronts, store_wavefronts;  // where a warp reads one row of columns
  double two_rows_load_wavefronts, two_rows_store_wavefronts;  // where it reads two
};

class OddBudgets : public testing::TestWithParam<std::uint32_t> {
 protected:
  static void are_kept(std::int64_t rows, std::int64_t cols, const Limits& limits) {
    const std::uint32_t bytes = GetParam();
    Problem problem = matrix(rows, cols, bytes, {DeviceKind::cuda, 0});
    problem.in_alignment = problem.out_alignment = 256;
    const double needed = static_cast<double>(rows * cols * bytes) / 32;
    int served = 0;
    for (const std::int64_t tile_rows : {32, 64, 128, 256})
      for (const std::int64_t tile_cols : {16, 32, 64}) {
        const Variant variant{"odd", {{"rows", tile_rows}, {"cols", tile_cols}}};
        SCOPED_TRACE(to_string(variant));
        ExplainOptions options;
        options.measure = false;
        Explanation told;
        try {
          told = explain(engine(), problem, variant, options);
        } catch (const Error& error) {
          ASSERT_EQ(error.kind(), ErrorKind::no_strategy) << error.what();
          continue;
        }
        ++served;
        ASSERT_TRUE(told.simulation) << told.no_simulation;
        EXPECT_TRUE(told.simulation->findings.empty()) << told.limiter;
        const AccessTotals sum = told.simulation->totals();
        const auto at_most = [](std::uint64_t took, double of, double limit) {
          EXPECT_LE(static_cast<double>(took) / of, limit);
          EXPECT_GE(static_cast<double>(took) / of, 1) << "something was not moved";
        };
        // Rows above a tile are read twice, and sectors that two tiles share.
        const double above = (31.0 / bytes + 1) / static_cast<double>(tile_rows),
                     beside = 60.0 / static_cast<double>(tile_cols * bytes);
        at_most(sum.load_sectors, needed, (1 + above) * (1 + beside));
        at_most(sum.store_sectors, needed, limits.store_sectors);
        const bool has_two_rows = tile_cols < 32;
        at_most(sum.load_wavefronts, static_cast<double>(sum.ideal_load_wavefronts),
                has_two_rows ? limits.two_rows_load_wavefronts : limits.load_wavefronts);
        at_most(sum.store_wavefronts, static_cast<double>(sum.ideal_store_wavefronts),
                has_two_rows ? limits.two_rows_store_wavefronts : limits.store_wavefronts);
      }
    EXPECT_GE(served, 3);
  }
};

TEST_P(OddBudgets, AreKeptWithWholeSectors) { are_kept(512, 195, {1, 1.7, 1.5, 2.3, 2.3}); }

// Lanes that store nothing at the ends of rows are a turn ahead of others in the simulator's count.
TEST_P(OddBudgets, AreKeptByRowsThatBeginAnywhere) { are_kept(389, 195, {2, 1.7, 2.2, 2.3, 2.5}); }

INSTANTIATE_TEST_SUITE_P(EachSize, OddBudgets,
                         testing::Values(3U, 5U, 6U, 7U, 9U, 10U, 11U, 13U, 14U, 15U),
                         [](const auto& size) { return std::to_string(size.param) + "_bytes"; });

}  // namespace
}  // namespace xpose
