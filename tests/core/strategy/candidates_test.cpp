#include "strategy/candidates.hpp"

#include <stdexcept>

#include "candidates_fixture.hpp"

namespace xpose {
namespace {

TEST_F(Candidates, AreTheConfigsThatTheQuoteAccepts) {
  const Strategy a = strategy("a", 1);
  EXPECT_EQ(names({&a}), (std::vector<std::string>{"a{tile=64,rows=8}", "a{tile=64,rows=4}",
                                                   "a{tile=32,rows=4}"}));
  const auto found = candidates(std::vector{&a}, problem, device, options, *this);
  EXPECT_EQ(found[0].workspace_bytes, 64U);
  EXPECT_EQ(found[0].launch, "grid 1");
}

TEST_F(Candidates, VariantsNarrowTransposesAndLeaveCopies) {
  const Strategy a = strategy("a", 5);
  const Strategy b = strategy("b", 1);
  const Strategy copy = strategy("copy", 900, Role::copy);
  options.variants = {{"a", {{"tile", 32}}}};
  EXPECT_EQ(names({&a, &b, &copy}),
            (std::vector<std::string>{"copy{tile=64,rows=8}", "a{tile=32,rows=4}",
                                      "copy{tile=64,rows=4}", "copy{tile=32,rows=4}"}));
}

TEST_F(Candidates, AStrategyThatSupportsNothingSaysWhyOnce) {
  const Strategy a = strategy("a", 5);
  options.variants = {{"a", {{"tile", 16}}}};
  EXPECT_EQ(names({&a}), (std::vector<std::string>{"a tile too small"}));
}

TEST_F(Candidates, TheCardRulesOut) {
  const auto reason = [&](const auto& change) {
    Strategy a = strategy("a", 5);
    change(a.info);
    return xpose::quote(a, {64, 8}, problem, device).outcome.detail;
  };
  EXPECT_EQ(reason([](StrategyInfo&) {}), "");
  EXPECT_EQ(reason([](StrategyInfo& c) { c.element_sizes = 1 | 8; }),
            "serves no elements of 4 bytes");
  const Problem narrow = problem;
  problem.element_bytes = 48;
  EXPECT_EQ(reason([](StrategyInfo&) {}), "serves no elements of 48 bytes");
  EXPECT_EQ(reason([](StrategyInfo& c) { c.element_sizes = XPOSE_FAT_SIZES; }), "");
  problem.in_alignment = 8;
  EXPECT_EQ(reason([](StrategyInfo& c) { c.element_sizes = XPOSE_FAT_SIZES; }),
            "needs rows aligned to 16 bytes; these are aligned to 8");
  problem = narrow;
  EXPECT_EQ(reason([](StrategyInfo& c) { c.min_alignment = 32; }),
            "needs rows aligned to 32 bytes; these are aligned to 16");
  problem.in_alignment = problem.out_alignment = 256;  // output rows of 400 bytes
  EXPECT_EQ(reason([](StrategyInfo& c) { c.min_alignment = 16; }), "");
  EXPECT_EQ(reason([](StrategyInfo& c) { c.min_alignment = 32; }),
            "needs rows aligned to 32 bytes; these are aligned to 16");
  problem = narrow;
  EXPECT_EQ(reason([](StrategyInfo& c) { c.min_compute_capability = 90; }),
            "needs compute capability 9.0");
  EXPECT_EQ(reason([](StrategyInfo& c) { c.max_extent = 150; }),
            "serves at most 150 rows and columns");
  problem.in_place = true;
  EXPECT_EQ(reason([](StrategyInfo&) {}), "does not work in place");
  EXPECT_EQ(reason([](StrategyInfo& c) { c.in_place = true; }), "");
}

TEST_F(Candidates, WhatIsNeverChosenIsNotLaunchedForEachOfManyMatrices) {
  Strategy geam = strategy("geam", 1);
  geam.info.role = Role::numeric;
  geam.info.device_kind = DeviceKind::cuda;
  problem = matrix(5, 5, 4, {DeviceKind::cuda, 0});
  problem.batch = {{10'001, 25, 25}};
  EXPECT_EQ(names({&geam}),
            std::vector<std::string>{
                "geam needs 10001 launches; a strategy that is only compared gets at most 10000"});
  geam.info.max_batch_rank = 1;
  EXPECT_EQ(names({&geam}).size(), 3U);
  geam.info.max_batch_rank = 0;
  problem.batch = {{10'000, 25, 25}};
  EXPECT_EQ(names({&geam}).size(), 3U);
  problem.batch = {{10'001, 25, 25}};
  problem.device.kind = geam.info.device_kind = DeviceKind::host;
  EXPECT_EQ(names({&geam}).size(), 3U);
}

TEST_F(Candidates, AnExceptionThroughTheAbiIsAProtocolError) {
  xpose_strategy functions{};
  functions.quote = [](const xpose_problem*, const int64_t*, xpose_quote*,
                       xpose_text) -> xpose_status { throw std::runtime_error("oops"); };
  Strategy a = strategy("a", 5);
  a.functions = &functions;
  const Outcome outcome = xpose::quote(a, {64, 8}, problem, device).outcome;
  EXPECT_EQ(outcome.verdict, Verdict::protocol_error);
  EXPECT_EQ(outcome.detail, "failed to quote: threw an exception through the ABI: oops");
}

TEST_F(Candidates, AnExperimentIsNeverTried) {
  Strategy a = strategy("a", 5);
  ASSERT_FALSE(names({&a}).empty());
  a.info.role = Role::experiment;
  options.variants = {{"a"}};
  EXPECT_TRUE(names({&a}).empty());
}

TEST_F(Candidates, ACopyIsAskedForTheDenseBytes) {
  problem.batch = {{3, 100000, 100000}};
  problem.out_ld = 300;
  const Strategy copy = strategy("copy", 900, Role::copy);
  const Problem dense = problem_for(copy.info, problem);
  EXPECT_EQ(dense.rows, 300);
  EXPECT_EQ(dense.out_ld, 200);
  EXPECT_TRUE(dense.batch.empty());
  problem.element_bytes = 48;
  Problem parts = dense;
  parts.element_bytes = 16;
  parts.cols = parts.in_ld = parts.out_ld = 3 * dense.cols;
  EXPECT_EQ(problem_for(copy.info, problem), parts);
  const Strategy transpose = strategy("a", 1);
  EXPECT_EQ(problem_for(transpose.info, problem), problem);
}

TEST_F(Candidates, ACopyHasNoRowsThatAreNotAligned) {
  problem = normal_form(matrix(45, 61, 1));
  const Strategy copy = strategy("copy", 900, Role::copy);
  const Strategy transpose = strategy("a", 1);
  EXPECT_EQ(to_abi(copy.info, problem_for(copy.info, problem), device).in_alignment, 256U);
  EXPECT_EQ(to_abi(copy.info, problem_for(copy.info, problem), device).out_alignment, 256U);
  EXPECT_EQ(to_abi(transpose.info, problem, device).in_alignment, 1U);
}

// A strategy that takes no batch begins at each matrix, and is predicted there.
TEST_F(Candidates, ArePredictedForEveryRowOfTheWholeProblem) {
  static const xpose_strategy functions = [] {
    xpose_strategy made{};
    made.quote = [](const xpose_problem*, const int64_t*, xpose_quote* quote,
                    xpose_text) -> xpose_status {
      quote->load_run = quote->store_run = 64;
      return XPOSE_OK;
    };
    return made;
  }();
  Strategy a = strategy("a", 1);
  a.functions = &functions;
  const auto predicted = [&](std::int64_t stride) {
    problem = matrix(64, 64, 4);
    problem.batch = {{4, stride, 4096}};
    problem.in_alignment = problem.out_alignment = 256;
    problem = normal_form(problem);
    return all_candidates(a, problem, device, options, *this).front().predicted;
  };
  EXPECT_GT(predicted(4097), predicted(4160));
}

}  // namespace
}  // namespace xpose
