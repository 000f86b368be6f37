// What every config of the fast strategies may ask of memory at most, by the simulator: sectors
// over those that the problem's bytes fill, and wavefronts over those that the accesses need.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "budgets.hpp"

namespace xpose {
namespace {

constexpr BySize kIdeal = {1, 1, 1, 1, 1};  // no sector and no wavefront too many

// Of configs with this value of an axis, or of those with any other.
struct Where {
  const char* axis = "";
  std::int64_t value = 0;
  bool has_it = true;

  bool covers(const Config& config) const {
    for (const auto& [name, of_config] : config)
      if (name == axis) return (of_config == value) == has_it;
    return true;
  }
};

struct ConfigBudget {
  const char* strategy;
  std::int64_t rows, cols, batch;  // dense, at multiples of 256 bytes
  bool in_place;
  BySize load_sectors, store_sectors;
  BySize load_wavefronts = kIdeal, store_wavefronts = kIdeal;
  const char* why = "";  // it is not the ideal
  Where where = {};
};
void PrintTo(const ConfigBudget& budget, std::ostream* out) {
  *out << budget.strategy << ' ' << budget.why;
}

Problem problem_of(const ConfigBudget& budget, std::uint32_t element_bytes) {
  Problem problem = matrix(budget.rows, budget.cols, element_bytes, {DeviceKind::cuda, 0});
  const std::int64_t area = budget.rows * budget.cols;
  if (budget.batch > 1) problem.batch = {{budget.batch, area, area}};
  problem.in_alignment = problem.out_alignment = 256;
  problem.in_place = budget.in_place;
  return problem;
}

// Every choice of values on the axes.
std::vector<Config> configs_of(const StrategyInfo& strategy) {
  std::vector<Config> configs = {{}};
  for (const auto& [axis, values] : strategy.axes) {
    std::vector<Config> longer;
    for (const Config& config : configs)
      for (const std::int64_t value : values) {
        longer.push_back(config);
        longer.back().push_back({axis, value});
      }
    configs = longer;
  }
  return configs;
}

class ConfigBudgets : public testing::TestWithParam<ConfigBudget> {
 protected:
  static StrategyInfo strategy() {
    for (const StrategyInfo& strategy : simulated_strategies())
      if (strategy.name == GetParam().strategy) return strategy;
    throw std::out_of_range(GetParam().strategy);
  }
};

TEST_P(ConfigBudgets, AreKept) {
  const ConfigBudget& budget = GetParam();
  for (std::size_t size = 0; size < 5; ++size) {
    const Problem problem = problem_of(budget, 1U << size);
    const double needed =
        static_cast<double>((budget.rows * budget.cols * budget.batch) << size) / 32;
    int served = 0;
    for (const Config& config : configs_of(strategy())) {
      if (!budget.where.covers(config)) continue;
      SCOPED_TRACE(to_string(Variant{budget.strategy, config}) + " for elements of " +
                   std::to_string(1 << size) + " bytes");
      ExplainOptions options;
      options.measure = false;
      Explanation told;
      try {
        told = explain(engine(), problem, {budget.strategy, config}, options);
      } catch (const Error& error) {
        ASSERT_EQ(error.kind(), ErrorKind::no_strategy) << error.what();
        continue;  // not for this size
      }
      ++served;
      ASSERT_TRUE(told.simulation) << told.no_simulation;
      EXPECT_TRUE(told.simulation->findings.empty()) << told.limiter;
      const AccessTotals sum = told.simulation->totals();
      const auto at_most = [&](std::uint64_t took, double unit, const BySize& limits) {
        EXPECT_LE(static_cast<double>(took), unit * limits.at(size));
      };
      at_most(sum.load_sectors, needed, budget.load_sectors);
      at_most(sum.store_sectors, needed, budget.store_sectors);
      at_most(sum.load_wavefronts, static_cast<double>(sum.ideal_load_wavefronts),
              budget.load_wavefronts);
      at_most(sum.store_wavefronts, static_cast<double>(sum.ideal_store_wavefronts),
              budget.store_wavefronts);
      EXPECT_GE(static_cast<double>(sum.load_sectors), needed) << "something was not read";
      EXPECT_GE(static_cast<double>(sum.store_sectors), needed) << "something was not written";
    }
    EXPECT_EQ(served > 0,
              budget.load_sectors.at(size) > 0 && (strategy().element_sizes & (1U << size)) != 0)
        << "elements of " << (1 << size) << " bytes";
  }
}

std::string name_of(const testing::TestParamInfo<ConfigBudget>& test) {
  const ConfigBudget& of = test.param;
  return std::string(of.strategy) + "_" + std::to_string(of.rows) + "x" + std::to_string(of.cols) +
         (of.batch == 1 ? "" : "_batch_" + std::to_string(of.batch)) +
         (of.where.axis == std::string() || !of.where.has_it
              ? ""
              : std::string("_") + of.where.axis + "_" + std::to_string(of.where.value));
}

constexpr BySize kRounded = {1.08, 1.08, 1.08, 1.08, 1.07};
constexpr BySize kOddBanks = {2, 2, 2, 1.34, 1};
constexpr BySize kRowEnds = {1.001, 1.001, 1, 1, 1};  // staged by elements
constexpr BySize kOddVectors = {1.04, 1.04, 1, 1, 1};

const std::vector<ConfigBudget> kAtMost = {
    {"copy_wide", 256, 256, 1, false, kIdeal, kIdeal},
    {"tile", 512, 768, 1, false, kIdeal, kIdeal},
    {"tile_512", 512, 768, 1, false, kIdeal, kIdeal},
    {"swap_vectors", 512, 512, 1, true, kIdeal, kIdeal},
    {"swap_unaligned",
     256,
     256,
     1,
     true,
     kIdeal,
     kIdeal,
     kIdeal,
     {1, 1.06, 1, 1, 1},
     "a word behind every row of packed elements is cleared"},
    {"swap_unaligned",
     257,
     257,
     1,
     true,
     {2.09, 1.58, 1.25, 1.11, 1.04},
     {2.09, 1.58, 1.25, 1.11, 1.04},
     kIdeal,
     {1.23, 1.23, 1, 1, 1},
     "no row is aligned, and the bytes at the ends of packed rows are staged one by one"},
    {"unaligned",
     512,
     512,
     1,
     false,
     {1.41, 1.41, 1.125, 1.125, 1.125},
     kIdeal,
     kIdeal,
     kIdeal,
     "the rows staged above a tile are read twice, and of two columns' tiles a sector",
     {"height", 64, false}},
    {"unaligned",
     512,
     512,
     1,
     false,
     {1.69, 1.69},
     kIdeal,
     kIdeal,
     kIdeal,
     "of three rows that are read one is staged above a tile",
     {"height", 64}},
    {"unaligned",
     509,
     515,
     1,
     false,
     {1.75, 1.64, 1.38, 1.23, 1.16},
     {1.41, 1.13, 1.05, 1.02, 1.003},
     {1.68, 1.93, 1, 1, 1},
     kRowEnds,
     "no row is aligned, and the ends of rows are moved by elements; columns side by side, whose "
     "rows are misaligned differently, meet in banks",
     {"height", 64, false}},
    {"unaligned",
     509,
     515,
     1,
     false,
     {1.8, 1.8},
     {1.41, 1.13},
     {1.8, 1.95},
     kRowEnds,
     "as above, and of three rows that are read one is staged above a tile",
     {"height", 64}},
    {"lanes",
     509,
     515,
     1,
     false,
     {1.66, 1.34},
     {1.48, 1.3},
     kIdeal,
     kIdeal,
     "no row is aligned: 31 words of an output row end within sectors, and loads go past a tile"},
    {"lanes",
     509,
     514,
     1,
     false,
     {1.64, 1.32},
     {1.48, 1.3},
     kIdeal,
     kIdeal,
     "the same, by loads of words"},
    {"skinny", 4096, 16, 1, false, {1.0625, 1, 1, 1, 1}, kIdeal},
    {"skinny", 16, 4096, 1, false, kIdeal, {1.0625, 1, 1, 1, 1}},
    {"skinny", 1024, 128, 1, false, kIdeal, kIdeal},
    {"skinny", 128, 1024, 1, false, kIdeal, kIdeal},
    {"skinny", 4096, 3, 1, false, kRounded, kIdeal, kOddBanks, kOddVectors, "an odd width"},
    {"skinny", 3, 4096, 1, false, kIdeal, kRounded, kOddVectors, kOddBanks, "an odd width"},
    {"batch", 16, 16, 128, false, {1.0625, 1, 1, 1, 1}, {1.0625, 1, 1, 1, 1}},
    {"batch", 32, 32, 64, false, kIdeal, kIdeal, {1, 1, 1, 2, 1}, kIdeal, "pairs in a bank"},
    {"batch",
     5,
     5,
     1000,
     false,
     kRounded,
     kRounded,
     {2, 3.08, 4.82, 2.99, 1.29},
     {1.01, 1.01, 1, 1, 1},
     "a walk over odd columns"},
};

INSTANTIATE_TEST_SUITE_P(Strategies, ConfigBudgets, testing::ValuesIn(kAtMost), name_of);

}  // namespace

std::set<std::string> with_a_budget_of_every_config() {
  std::set<std::string> names;
  for (const ConfigBudget& budget : kAtMost) names.insert(budget.strategy);
  return names;
}

}  // namespace xpose
