// What a permutation of many axes may ask of memory at most, by the simulator: sectors over those
// that its bytes fill, and wavefronts of shared memory over those that the accesses need. The
// problems are those of the tensor transpose benchmark (TTC) with shorter outer axes.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "budgets.hpp"

namespace xpose {
namespace {

constexpr BySize kIdeal = {1, 1, 1, 1, 1};

struct PermuteBudget {
  const char* name;
  std::vector<std::int64_t> shape;
  std::vector<int> axes;
  BySize load_sectors, store_sectors, load_wavefronts, store_wavefronts;
  std::size_t sizes = 5;    // of elements: 1, 2, 4 and so on
  std::int64_t shared = 1;  // of the config
};
void PrintTo(const PermuteBudget& budget, std::ostream* out) { *out << budget.name; }

class PermuteBudgets : public testing::TestWithParam<PermuteBudget> {};

TEST_P(PermuteBudgets, AreKept) {
  const PermuteBudget& budget = GetParam();
  for (std::size_t size = 0; size < budget.sizes; ++size) {
    const Problem problem =
        permutation(budget.shape, budget.axes, 1U << size, {DeviceKind::cuda, 0});
    SCOPED_TRACE(std::to_string(1 << size) + " bytes");
    Problem aligned = problem;
    aligned.in_alignment = aligned.out_alignment = 256;
    ExplainOptions options;
    options.measure = false;
    const Explanation told =
        explain(engine(), aligned, {"permute", {{"shared", budget.shared}}}, options);
    ASSERT_TRUE(told.simulation) << told.no_simulation;
    EXPECT_TRUE(told.simulation->findings.empty()) << told.limiter;
    const AccessTotals sum = told.simulation->totals();
    double needed = static_cast<double>(1U << size) / 32;
    for (const std::int64_t extent : budget.shape) needed *= static_cast<double>(extent);
    const auto at_most = [&](const char* what, std::uint64_t took, double least,
                             const BySize& limits) {
      EXPECT_LE(static_cast<double>(took), least * limits.at(size))
          << what << ", " << static_cast<double>(took) / least;
    };
    at_most("sectors read", sum.load_sectors, needed, budget.load_sectors);
    at_most("sectors written", sum.store_sectors, needed, budget.store_sectors);
    at_most("wavefronts of loads", sum.load_wavefronts,
            static_cast<double>(sum.ideal_load_wavefronts), budget.load_wavefronts);
    at_most("wavefronts of stores", sum.store_wavefronts,
            static_cast<double>(sum.ideal_store_wavefronts), budget.store_wavefronts);
    EXPECT_GE(static_cast<double>(sum.load_sectors), needed) << "something was not read";
    EXPECT_GE(static_cast<double>(sum.store_sectors), needed) << "something was not written";
  }
}

const std::vector<PermuteBudget> kPermutations = {
    {"reversed_32_15_32", {32, 15, 4, 15, 32}, {4, 3, 2, 1, 0}, kIdeal, kIdeal, kIdeal, kIdeal},
    {"reversed_96_12_608",
     {608, 4, 12, 32},
     {3, 2, 1, 0},
     kIdeal,
     kIdeal,
     {1, 1.07, 1, 1, 1},
     {1, 2, 1, 1, 1}},
    {"rotated_48_28",
     {14, 28, 4, 48, 4},
     {3, 0, 4, 1, 2},
     {2, 1.5, 1.13, 1, 1},
     {1.29, 1, 1, 1, 1},
     {1.15, 1, 1, 1.08, 1},
     {1, 1.67, 1, 1, 1}},
    {"odd_75_45",
     {45, 3, 7, 75},
     {3, 2, 1, 0},
     {2.4, 2.55, 1.52, 1.35, 1.08},
     {3.05, 1.98, 1.6, 1.29, 1.07},
     {1.36, 1.38, 1.72, 1.61, 1},
     {1.6, 1.8, 2.33, 1.83, 1.21}},
    // Eight columns of many rows, which meet in banks where their places are not swizzled.
    {"narrow_8_2539",
     {2, 3, 2539, 8},
     {1, 0, 3, 2},
     {1.17, 1.13, 1, 1, 1},
     {2.15, 1.62, 1.29, 1.1, 1.05},
     {1.39, 1.38, 1.54, 1.47, 1.07},
     {1.79, 2.42, 1.42, 1.1, 1}},
    {"fours",
     {4, 4, 4, 4, 4, 4, 4, 4},
     {5, 1, 7, 0, 3, 6, 4, 2},
     {1.25, 1.5, 1.25, 1, 1},
     {1.25, 1.25, 1.13, 1, 1},
     kIdeal,
     {2, 1, 2, 1, 1}},
    // Joined by columns, with parts of words at the ends of runs alone.
    {"joined_75_45",
     {45, 3, 7, 75},
     {3, 2, 1, 0},
     {1.88, 2.04},
     {1.75, 1.61},
     {1.4, 1.34},
     {1.55, 1.83},
     2,
     2},
    {"joined_49_49",
     {49, 3, 7, 49},
     {3, 2, 1, 0},
     {2.3, 1.65},
     {1.69, 1.61},
     {1.42, 1.32},
     {1.72, 1.77},
     2,
     2},
    {"joined_narrow_8_2539",
     {2, 3, 2539, 8},
     {1, 0, 3, 2},
     {1.05, 1.04},
     {1.79, 1.46},
     {2.11, 2.95},
     {1.1, 1.1},
     2,
     2},
};

INSTANTIATE_TEST_SUITE_P(Ttc, PermuteBudgets, testing::ValuesIn(kPermutations),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace xpose
