// Kernels that are wrong: the simulator names the fault, and the line.
#include <gtest/gtest.h>

#include <fstream>
#include <optional>
#include <ostream>
#include <string>
#include <xpose/explain.hpp>

namespace xpose {
namespace {

Explanation explained(const std::string& strategy) {
  EngineOptions engine_options;
  engine_options.plugin_folders = {WRONG_DIR};
  engine_options.worker = XPOSE_TRIAL_PROGRAM;
  engine_options.remember = false;
  Engine engine(engine_options);
  ExplainOptions options;
  options.measure = false;
  return explain(engine, matrix(33, 65, 4, {DeviceKind::cuda, 0}), {strategy}, options);
}

// The line of the source whose comment has the word.
int line_of(const std::string& word) {
  std::ifstream source(WRONG_SOURCE);
  std::string line;
  for (int number = 1; std::getline(source, line); ++number)
    if (const auto comment = line.find("// ");
        comment != std::string::npos && line.find(word, comment) != std::string::npos)
      return number;
  return 0;
}

struct Wrong {
  const char* strategy;
  FindingKind kind;
  const char* word;
  std::optional<AccessKind> access = {};
};
void PrintTo(const Wrong& wrong, std::ostream* out) { *out << wrong.strategy; }
class WrongKernels : public testing::TestWithParam<Wrong> {};

TEST_P(WrongKernels, AreCaughtWithTheirLine) {
  const Explanation told = explained(GetParam().strategy);
  ASSERT_TRUE(told.simulation) << told.no_simulation;
  ASSERT_FALSE(told.simulation->findings.empty());
  const Finding& finding = told.simulation->findings[0];
  EXPECT_EQ(finding.kind, GetParam().kind) << to_string(finding);
  EXPECT_EQ(finding.access, GetParam().access) << to_string(finding);
  EXPECT_TRUE(finding.where.file.ends_with("wrong_kernels.cu")) << to_string(finding);
  EXPECT_EQ(finding.where.line, line_of(GetParam().word)) << to_string(finding);
}

INSTANTIATE_TEST_SUITE_P(Strategies, WrongKernels,
                         testing::Values(Wrong{"tile_no_barrier", FindingKind::race, "NO_BARRIER"},
                                         Wrong{"tile_barrier_in_branch",
                                               FindingKind::divergent_barrier, "BARRIER_IN_BRANCH"},
                                         Wrong{"tile_past_tile", FindingKind::out_of_bounds,
                                               "PAST_TILE", AccessKind::load},
                                         Wrong{"tile_past_input", FindingKind::out_of_bounds,
                                               "PAST_INPUT", AccessKind::load}),
                         [](const auto& test) { return std::string(test.param.strategy); });

TEST(WrongKernels, TheRightOneIsSilent) {
  const Explanation told = explained("tile_right");
  ASSERT_TRUE(told.simulation) << told.no_simulation;
  EXPECT_TRUE(told.simulation->findings.empty()) << told.limiter;
}

}  // namespace
}  // namespace xpose
