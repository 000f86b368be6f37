// What each CUDA kernel may ask of memory, by the simulator: exactly these sectors and wavefronts.
// The figures are those of the hardware's counters at 4096x4096 (NOTES.md), for a smaller matrix.
#include "budgets.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <set>
#include <string>
#include <vector>

namespace xpose {
namespace {

constexpr std::int64_t kSide = 256;

// Of one warp's 32 elements.
constexpr BySize kCoalesced = {1, 2, 4, 8, 16};   // sectors of a row
constexpr BySize kColumn = {32, 32, 32, 32, 32};  // of a column, in rows of 256 elements
// 16 lanes of a warp write one output row, 16 the next.
constexpr BySize kHalfRows = {2, 2, 4, 8, 16};
// Wavefronts of a warp's row of the tile, which are the ideal ones of any access.
constexpr BySize kIdeal = {1, 1, 1, 2, 4};
// Of 16 lanes down a column and 16 down the next, in rows of 32 elements (64 with two tiles side by
// side): rows of a power of two meet few banks.
constexpr BySize kDown = {4, 8, 16, 32, 32};
constexpr BySize kDownOfTwo = {8, 16, 16, 32, 32};
// Of vectors of 16 bytes, per 32 elements: ideal for them.
constexpr BySize kVectors = {0.25, 0.5, 1, 2, 4};
// In rows that are 2 elements longer: from 8 bytes on, 2 lanes of a part meet a bank; of bytes, the
// two columns lie in different words for every other warp.
constexpr BySize kDownPadded = {1.5, 1, 1, 4, 8};
constexpr BySize kDownTwoPadded = {1, 1, 1, 4, 8};
// Of 8 bytes, 16 threads go down a column in steps of 16 bytes modulo the banks, and meet in pairs.
constexpr BySize kDownBatch = {1, 1, 1, 4, 4};
constexpr BySize kNone = {0, 0, 0, 0, 0};

struct Budget {
  const char* strategy;
  Config config;
  BySize load_sectors, store_sectors;
  BySize load_wavefronts = kNone, store_wavefronts = kNone;
  std::int64_t rows = kSide, cols = kSide, batch = 1;  // dense
};
void PrintTo(const Budget& budget, std::ostream* out) {
  *out << to_string(Variant{budget.strategy, budget.config});
}

Config blocks(std::vector<AxisValue> more = {}) {
  more.insert(more.begin(), {{"block_x", 32}, {"block_y", 16}});
  return more;
}
Config tiles(std::int64_t pad = -1) {
  Config config = blocks({{"tile_y", 16}});
  if (pad >= 0) config.push_back({"pad", pad});
  return config;
}

class Budgets : public testing::TestWithParam<Budget> {};

TEST_P(Budgets, AreExact) {
  const Budget& budget = GetParam();
  for (std::size_t size = 0; size < 5; ++size) {
    Problem problem = matrix(budget.rows, budget.cols, 1U << size, {DeviceKind::cuda, 0});
    const std::int64_t area = budget.rows * budget.cols;
    if (budget.batch > 1) problem.batch = {{budget.batch, area, area}};
    const double warps = static_cast<double>(area * budget.batch) / 32;
    problem.in_alignment = problem.out_alignment = 256;
    ExplainOptions options;
    options.measure = false;
    const Explanation told = explain(engine(), problem, {budget.strategy, budget.config}, options);
    ASSERT_TRUE(told.simulation) << told.no_simulation;
    EXPECT_TRUE(told.simulation->findings.empty()) << told.limiter;
    const AccessTotals sum = told.simulation->totals();
    const std::string of = " for elements of " + std::to_string(1 << size) + " bytes";
    EXPECT_EQ(static_cast<double>(sum.load_sectors) / warps, budget.load_sectors.at(size)) << of;
    EXPECT_EQ(static_cast<double>(sum.store_sectors) / warps, budget.store_sectors.at(size)) << of;
    EXPECT_EQ(static_cast<double>(sum.load_wavefronts) / warps, budget.load_wavefronts.at(size))
        << of;
    EXPECT_EQ(static_cast<double>(sum.store_wavefronts) / warps, budget.store_wavefronts.at(size))
        << of;
  }
}

TEST(InPlaceBudgets, VectorsAskForNothingTwice) {
  constexpr double kWarps = kSide * kSide / 32;
  for (std::size_t size = 0; size < 5; ++size) {
    Problem problem = matrix(kSide, kSide, 1U << size, {DeviceKind::cuda, 0});
    problem.in_alignment = problem.out_alignment = 256;
    problem.in_place = true;
    ExplainOptions options;
    options.measure = false;
    const Explanation told = explain(engine(), problem, {"swap_vectors"}, options);
    ASSERT_TRUE(told.simulation) << told.no_simulation;
    EXPECT_TRUE(told.simulation->findings.empty()) << told.limiter;
    const AccessTotals sum = told.simulation->totals();
    const std::string of = " for elements of " + std::to_string(1 << size) + " bytes";
    EXPECT_EQ(static_cast<double>(sum.load_sectors) / kWarps, kCoalesced.at(size)) << of;
    EXPECT_EQ(static_cast<double>(sum.store_sectors) / kWarps, kCoalesced.at(size)) << of;
    // 128 bytes a wavefront, both ways.
    const double wavefronts = static_cast<double>(kSide * kSide << size) / 128;
    EXPECT_EQ(static_cast<double>(sum.load_wavefronts), wavefronts) << of;
    EXPECT_EQ(static_cast<double>(sum.store_wavefronts), wavefronts) << of;
  }
}

// Every sector whole and once, every wavefront of 128 bytes, for elements of every size.
TEST(FatBudgets, AskForNothingTwice) {
  enum Way { by_tiles, directly, in_place };
  for (unsigned bytes = 32; bytes <= 256; bytes += 16)
    for (const Way way : {by_tiles, directly, in_place}) {
      if (way == directly && (bytes < 128 || bytes % 32 != 0)) continue;  // declined
      Problem problem = matrix(96, way == in_place ? 96 : 64, bytes, {DeviceKind::cuda, 0});
      problem.in_alignment = problem.out_alignment = 256;
      problem.in_place = way == in_place;
      ExplainOptions options;
      options.measure = false;
      const Explanation told =
          explain(engine(), problem, {"fat", {{"shared", way != directly}}}, options);
      const std::string of =
          " for elements of " + std::to_string(bytes) + " bytes, way " + std::to_string(way);
      ASSERT_TRUE(told.simulation) << told.no_simulation << of;
      EXPECT_TRUE(told.simulation->findings.empty()) << told.limiter << of;
      const AccessTotals sum = told.simulation->totals();
      const std::uint64_t moved = static_cast<std::uint64_t>(96 * problem.cols) * bytes;
      EXPECT_EQ(sum.load_sectors, moved / 32) << of;
      EXPECT_EQ(sum.store_sectors, moved / 32) << of;
      EXPECT_EQ(sum.load_wavefronts, way == directly ? 0 : moved / 128) << of;
      EXPECT_EQ(sum.store_wavefronts, way == directly ? 0 : moved / 128) << of;
    }
}

std::string name_of(const testing::TestParamInfo<Budget>& test) {
  std::string name = test.param.strategy;
  for (const AxisValue& value : test.param.config)
    if (value.axis == "pad" || value.axis == "row_bytes")
      name += "_by_" + std::to_string(value.value);
  if (test.param.rows != kSide)
    name += "_" + std::to_string(test.param.rows) + "x" + std::to_string(test.param.cols);
  return name;
}

const std::vector<Budget> kExact = {
    Budget{"copy_row", {}, kCoalesced, kCoalesced},
    Budget{"copy_col", {}, kColumn, kColumn},
    Budget{"naive_row", blocks(), kCoalesced, kColumn},
    Budget{"naive_col", blocks(), kColumn, kCoalesced},
    Budget{"unroll4_row", blocks(), kCoalesced, kColumn},
    Budget{"unroll4_col", blocks(), kColumn, kCoalesced},
    Budget{"smem", tiles(), kCoalesced, kHalfRows, kDown, kIdeal},
    Budget{"smem_pad", tiles(2), kCoalesced, kHalfRows, kDownPadded, kIdeal},
    Budget{"smem_unroll2", tiles(), kCoalesced, kHalfRows, kDownOfTwo, kIdeal},
    Budget{"smem_unroll2_pad", tiles(2), kCoalesced, kHalfRows, kDownTwoPadded, kIdeal},
    Budget{"skinny", {}, kCoalesced, kCoalesced, kIdeal, kVectors, 2048, 32},
    Budget{"skinny", {}, kCoalesced, kCoalesced, kVectors, kIdeal, 32, 2048},
    Budget{"skinny", {}, kCoalesced, kCoalesced, kIdeal, kVectors, 1024, 128},
    Budget{"batch", {}, kCoalesced, kCoalesced, kDownBatch, kVectors, 32, 32, 16},
    Budget{"tile",
           {{"row_bytes", 256}, {"col_bytes", 256}},
           kCoalesced,
           kCoalesced,
           kVectors,
           kVectors},
    Budget{"tile",
           {{"row_bytes", 128}, {"col_bytes", 128}},
           kCoalesced,
           kCoalesced,
           kVectors,
           kVectors}};

INSTANTIATE_TEST_SUITE_P(Strategies, Budgets, testing::ValuesIn(kExact), name_of);

// Of 1023x1025 elements, where no row is aligned. Shared memory takes not one wavefront too many
// but for bytes, where a warp reads columns that are misaligned differently; sectors beyond the
// ideal are those around a tile's rows, the rows staged above it, and the ends of output rows,
// which are written by elements.
TEST(UnalignedBudgets, AreExact) {
  struct Expected {
    unsigned bytes;
    std::int64_t width;
    std::uint64_t load_sectors, store_sectors, conflicts = 0;
    std::uint64_t of_row_ends = 0;  // elements that are staged one by one, and meet in a bank
  };
  for (const Expected& expected :
       {Expected{1, 256, 42552, 38950, 1920, 4}, Expected{2, 256, 83952, 69700, 0, 2},
        Expected{4, 256, 180542, 134275}, Expected{8, 256, 323134, 263425},
        Expected{16, 512, 607837, 524800}}) {
    ExplainOptions options;
    options.measure = false;
    const Explanation told =
        explain(engine(), matrix(1023, 1025, expected.bytes, {DeviceKind::cuda, 0}),
                {"unaligned", {{"width", expected.width}, {"height", 256}}}, options);
    ASSERT_TRUE(told.simulation) << told.no_simulation;
    EXPECT_TRUE(told.simulation->findings.empty()) << told.limiter;
    const AccessTotals sum = told.simulation->totals();
    EXPECT_EQ(sum.load_sectors, expected.load_sectors) << expected.bytes;
    EXPECT_EQ(sum.store_sectors, expected.store_sectors) << expected.bytes;
    EXPECT_EQ(sum.load_wavefronts, sum.ideal_load_wavefronts + expected.conflicts)
        << expected.bytes;
    EXPECT_EQ(sum.store_wavefronts, sum.ideal_store_wavefronts + expected.of_row_ends)
        << expected.bytes;
  }
}

TEST(Budgets, LeaveNoStrategyOut) {
  std::set<std::string> budgeted = with_a_budget_of_every_config();
  for (const Budget& budget : kExact) budgeted.insert(budget.strategy);
  budgeted.insert("fat");      // above, of sizes of its own
  budgeted.insert("permute");  // in permute_budgets_test.cpp, of many axes
  budgeted.insert("odd");      // in odd_budgets_test.cpp, of other elements
  for (const StrategyInfo& strategy : simulated_strategies())
    EXPECT_TRUE(budgeted.contains(strategy.name)) << strategy.name << " has no budget";
}

}  // namespace

Engine& engine() {
  static Engine engine([] {
    EngineOptions options;
    options.plugin_folders = {XPOSE_PLUGINS};
    options.worker = XPOSE_TRIAL_PROGRAM;
    options.remember = false;
    return options;
  }());
  return engine;
}

std::vector<StrategyInfo> simulated_strategies() {
  std::vector<StrategyInfo> found;
  for (const PluginInfo& plugin : engine().plugins())
    for (const StrategyInfo& strategy : plugin.strategies)
      if (strategy.has_simulator && strategy.name != "copy_device_memcpy")  // has no kernel
        found.push_back(strategy);
  return found;
}

}  // namespace xpose
