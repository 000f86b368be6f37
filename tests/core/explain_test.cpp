#include "xpose/explain.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <xpose/conformance.hpp>

namespace xpose {
namespace {

Problem on_cuda(std::int64_t rows, std::int64_t cols) {
  Problem problem = matrix(rows, cols, 4, {DeviceKind::cuda, 0});
  problem.in_alignment = problem.out_alignment = 256;
  return problem;
}

Engine traced(const std::string& kind = "lines") {
  EngineOptions options;
  options.plugin_folders = {TRACED_DIR "/" + kind};
  options.worker = XPOSE_TRIAL_PROGRAM;
  options.remember = false;
  return Engine(options);
}

// The simulator alone: a device of this machine is not asked.
Explanation explained(const std::string& strategy, const Problem& problem) {
  Engine engine = traced();
  ExplainOptions options;
  options.measure = false;
  return explain(engine, problem, {strategy}, options);
}

// The line of the source that ends in a comment with the word.
int line_of(const std::string& word) {
  std::ifstream source(TRACED_SOURCE);
  std::string line;
  for (int number = 1; std::getline(source, line); ++number)
    if (const auto comment = line.find("/* "); comment != std::string::npos &&
                                               line.find(word, comment) != std::string::npos &&
                                               comment > 0)
      return number;
  return 0;
}

ErrorKind refused(const std::string& strategy, const Problem& problem, const Config& config = {}) {
  Engine engine = traced();
  try {
    explain(engine, problem, {strategy, config});
  } catch (const Error& error) {
    return error.kind();
  }
  ADD_FAILURE() << "not refused";
  return ErrorKind::failed;
}

TEST(Explain, CountsByLine) {
  const Explanation told = explained("traced_right", on_cuda(8, 64));
  EXPECT_EQ(to_string(told.variant), "traced_right{luck=7}");
  ASSERT_TRUE(told.simulation) << told.no_simulation;
  EXPECT_TRUE(told.simulation->findings.empty());
  ASSERT_EQ(told.simulation->kernels.size(), 1U);
  const KernelAccount& kernel = told.simulation->kernels[0];
  EXPECT_EQ(kernel.name, "by_hand");
  EXPECT_EQ(kernel.grid, (std::array<std::uint32_t, 3>{2, 8, 1}));
  EXPECT_EQ(kernel.launches, 1U);
  EXPECT_EQ(kernel.barriers, 16U);
  ASSERT_EQ(kernel.sites.size(), 4U);
  const AccessSite& load = kernel.sites[0];
  EXPECT_TRUE(load.where.file.ends_with("traced.c")) << load.where.file;
  EXPECT_EQ(load.requests, 16U);
  EXPECT_EQ(load.bytes, 8U * 64 * 4);
  EXPECT_EQ(load.sectors, 64U);
  EXPECT_EQ(load.ideal_sectors, 64U);
  const AccessSite& store = kernel.sites[3];
  EXPECT_EQ(store.kind, AccessKind::store);
  EXPECT_EQ(store.sectors, 512U);
  EXPECT_EQ(store.ideal_sectors, 64U);
  EXPECT_EQ(store.example.offset[1], 32U);
  const AccessTotals sum = told.simulation->totals();
  EXPECT_EQ(sum.load_sectors, 64U);
  EXPECT_EQ(sum.store_sectors, 512U);
  EXPECT_EQ(sum.load_wavefronts, 16U);
  EXPECT_EQ(sum.ideal_store_wavefronts, 16U);
  EXPECT_NE(told.limiter.find("uncoalesced stores at traced.c:"), std::string::npos)
      << told.limiter;
  EXPECT_EQ(told.no_hardware, "the device's counters were not asked for");
}

TEST(Explain, LoopsOverBatchesThatTheStrategyDoesNotTake) {
  Problem problem = on_cuda(5, 37);
  problem.in_ld = 40;
  problem.batch = {{3, 5 * 40, 5 * 37}, {2, 2000, 2000}};
  const Explanation told = explained("traced_right", problem);
  ASSERT_TRUE(told.simulation);
  EXPECT_TRUE(told.simulation->findings.empty()) << told.limiter;
  EXPECT_EQ(told.simulation->kernels.at(0).launches, 6U);
  EXPECT_EQ(told.simulation->kernels.at(0).sites.at(0).bytes, 6U * 5 * 37 * 4);
}

struct Caught {
  const char* strategy;
  FindingKind kind;
  const char* word;
  std::uint64_t times;
  const char* text;
};
class Catches : public testing::TestWithParam<Caught> {};

TEST_P(Catches, WithItsLine) {
  const Caught& wanted = GetParam();
  const Explanation told = explained(wanted.strategy, on_cuda(2, 32));
  ASSERT_TRUE(told.simulation);
  ASSERT_FALSE(told.simulation->findings.empty());
  const Finding& finding = told.simulation->findings[0];
  EXPECT_EQ(finding.kind, wanted.kind);
  EXPECT_EQ(finding.where.line, line_of(wanted.word));
  EXPECT_EQ(finding.times, wanted.times);
  EXPECT_NE(finding.text.find(wanted.text), std::string::npos) << finding.text;
  EXPECT_EQ(told.limiter.find("The kernel is wrong"), 0U) << told.limiter;
}

INSTANTIATE_TEST_SUITE_P(
    Explain, Catches,
    testing::Values(
        Caught{"traced_racy", FindingKind::race, "RACE", 2 * 31,
               "read 4 bytes at offset 4 of shared memory that thread 1"},
        Caught{"traced_uninitialised", FindingKind::uninitialised_shared, "UNINITIALISED", 2 * 32,
               "that its block has not written"},
        Caught{"traced_faulty", FindingKind::out_of_bounds, "FAULTY */", 1, "read past it"},
        Caught{"traced_divergent", FindingKind::divergent_barrier, "DIVERGENT */", 1, "12 of 32"},
        Caught{"traced_wrong", FindingKind::wrong_output, "no such line", 1,
               "out[0,0] should be in[0,0], but was not written"}),
    [](const auto& test) { return std::string(test.param.strategy).substr(7); });

TEST(Explain, SaysSoWhereThePluginHasNoLines) {
  Engine engine = traced("stripped");
  const Explanation told = explain(engine, on_cuda(2, 32), {"traced_racy"});
  ASSERT_TRUE(told.simulation);
  ASSERT_EQ(told.simulation->kernels.at(0).sites.size(), 4U);
  EXPECT_EQ(told.simulation->kernels[0].sites[0].where, SourceLine{});
  ASSERT_EQ(told.simulation->findings.size(), 1U);
  EXPECT_EQ(to_string(told.simulation->findings[0]).find("at an unknown line"), 0U);
}

TEST(Explain, SaysWhyThereIsNoSimulator) {
  EXPECT_EQ(explained("traced_declining", on_cuda(2, 32)).no_simulation,
            "bulk tensor copies do not run here");
  const Explanation without = explained("traced_without", on_cuda(2, 32));
  EXPECT_FALSE(without.simulation);
  EXPECT_NE(without.no_simulation.find("has no simulator"), std::string::npos);
  EXPECT_NE(without.limiter.find("has no simulator"), std::string::npos);
}

TEST(Explain, TakesTheSimulatedDeviceWhereThereIsNone) {
  if (!cuda_unavailable_reason().empty()) {
    EXPECT_EQ(explained("traced_right", on_cuda(2, 32)).launch, "by hand on 132 multiprocessors");
  }
  EXPECT_EQ(refused("traced_right", matrix(2, 32, 4, {DeviceKind::cuda, 99})), ErrorKind::device);
}

TEST(Explain, RefusesWhatItCannotExplain) {
  EXPECT_EQ(refused("traced_right", matrix(2, 32, 4)), ErrorKind::invalid);
  EXPECT_EQ(refused("traced_right", on_cuda(0, 32)), ErrorKind::invalid);
  EXPECT_EQ(refused("no_such", on_cuda(2, 32)), ErrorKind::no_strategy);
  EXPECT_EQ(refused("traced_right", on_cuda(13, 32)), ErrorKind::no_strategy);
  EXPECT_EQ(refused("traced_right", matrix(2, 32, 8, {DeviceKind::cuda, 0})),
            ErrorKind::no_strategy);
  EXPECT_EQ(refused("traced_right", on_cuda(2, 32), {{"luck", 8}}), ErrorKind::invalid);
  EXPECT_EQ(refused("traced_right", on_cuda(2, 32), {{"tile", 8}}), ErrorKind::invalid);
  EXPECT_EQ(refused("traced_failing", on_cuda(2, 32)), ErrorKind::failed);
}

TEST(Explain, TellsItsProgressUpwards) {
  Engine engine = traced();
  std::vector<double> shares;
  ExplainOptions options;
  options.progress = [&](double share) { shares.push_back(share); };
  const Variant variant{"traced_right", {{"luck", 9}}};
  EXPECT_EQ(explain(engine, on_cuda(64, 2048), variant, options).variant, variant);
  ASSERT_GT(shares.size(), 2U);
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
  EXPECT_EQ(shares.back(), 1);
}

// The suite, through the simulator.
std::vector<ConformanceCase> checked(const std::string& strategy) {
  ConformanceOptions options;
  options.simulator = true;
  options.max_elements = 10000;
  options.engine.worker = XPOSE_TRIAL_PROGRAM;
  std::vector<ConformanceCase> cases;
  check_conformance(
      TRACED_DIR "/lines/traced.so", {strategy}, 4,
      [&](const ConformanceCase& one) { cases.push_back(one); }, options);
  return cases;
}

TEST(SimulatorConformance, PassesWhatIsRight) {
  const auto cases = checked("traced_right");
  ASSERT_GT(cases.size(), 20U);
  for (const ConformanceCase& one : cases) {
    const Problem& problem = one.problem;
    // Kept runs that are aligned so become elements of 16 bytes.
    const bool is_widened = problem.in_alignment >= 16 && problem.rows == 1 &&
                            problem.out_ld == 1 && problem.cols % 4 == 0;
    const bool is_served = problem.in_alignment >= 4 && problem.out_alignment >= 4 &&
                           problem.in_ld >= 0 && !is_widened;
    EXPECT_EQ(one.verdict, is_served ? Verdict::ok : Verdict::unsupported)
        << to_string(problem) << one.detail;
  }
}

TEST(SimulatorConformance, FailsWithTheLine) {
  for (const ConformanceCase& one : checked("traced_faulty"))
    if (one.verdict != Verdict::unsupported) {
      EXPECT_EQ(one.verdict, Verdict::read_outside);
      EXPECT_EQ(one.detail, "traced.c:" + std::to_string(line_of("FAULTY */")) +
                                ": out_of_bounds, block 0, thread 5: read past it");
    }
  EXPECT_EQ(checked("traced_overrunning").at(10).verdict, Verdict::wrote_outside);
  EXPECT_EQ(checked("traced_past_array").at(10).verdict, Verdict::wrong_result);
  EXPECT_EQ(checked("traced_racy").at(10).verdict, Verdict::wrong_result);
  EXPECT_EQ(checked("traced_declining").at(0).verdict, Verdict::unsupported);
}

TEST(SimulatorConformance, NeedsASimulator) { EXPECT_THROW(checked("traced_without"), Error); }

}  // namespace
}  // namespace xpose
