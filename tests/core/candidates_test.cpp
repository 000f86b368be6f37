#include "candidates.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "normal_form.hpp"

namespace xpose {
namespace {

constexpr int64_t tiles[] = {64, 32, 16};
constexpr int64_t rows[] = {8, 4};
constexpr xpose_axis axes[] = {{"tile", tiles, 3}, {"rows", rows, 2}};

// Supports tiles that are multiples of its rows times 8.
xpose_status quote_tile(const xpose_problem*, const int64_t* config, xpose_quote* quote,
                        xpose_text error) {
  if (config[0] < 8 * config[1]) {
    std::strncpy(error.data, "tile too small", error.capacity);
    return XPOSE_UNSUPPORTED;
  }
  quote->workspace_bytes = static_cast<uint64_t>(config[0]);
  std::strncpy(quote->launch, "grid 1", sizeof quote->launch);
  return XPOSE_OK;
}

Strategy strategy(const char* name, int prior_rank, int32_t role = XPOSE_TRANSPOSE) {
  Strategy made;
  made.card.device_kind = XPOSE_HOST;
  made.card.name = name;
  made.card.summary = "";
  made.card.role = role;
  made.card.element_sizes = 31;
  made.card.prior_rank = prior_rank;
  made.card.axis_count = 2;
  made.card.axes = axes;
  made.functions.quote = quote_tile;
  return made;
}

class Candidates : public testing::Test {
 protected:
  std::vector<std::string> names(const std::vector<const Strategy*>& strategies) {
    std::vector<std::string> found;
    for (const Candidate& candidate : candidates(strategies, problem, device, options))
      found.push_back(to_string(candidate.variant) +
                      (candidate.unsupported.empty() ? "" : " " + candidate.unsupported));
    return found;
  }
  Problem problem = normal_form(matrix(100, 200, 4));
  DeviceInfo device{};
  TuneOptions options;
};

TEST_F(Candidates, AreTheConfigsThatTheQuoteAccepts) {
  const Strategy a = strategy("a", 1);
  EXPECT_EQ(names({&a}), (std::vector<std::string>{"a{tile=64,rows=8}", "a{tile=64,rows=4}",
                                                   "a{tile=32,rows=4}"}));
  const auto found = candidates(std::vector{&a}, problem, device, options);
  EXPECT_EQ(found[0].workspace_bytes, 64U);
  EXPECT_EQ(found[0].launch, "grid 1");
}

TEST_F(Candidates, FirstConfigsOfAllComeFirstByPriorRank) {
  const Strategy a = strategy("a", 5);
  const Strategy b = strategy("b", 1);
  const Strategy copy = strategy("copy", 900, XPOSE_COPY);
  const auto found = names({&a, &b, &copy});
  ASSERT_EQ(found.size(), 9U);
  EXPECT_EQ(found[0], "copy{tile=64,rows=8}");
  EXPECT_EQ(found[1], "b{tile=64,rows=8}");
  EXPECT_EQ(found[2], "a{tile=64,rows=8}");
  EXPECT_EQ(found[4], "b{tile=64,rows=4}");
}

TEST_F(Candidates, OptionsNarrowTransposesButNeverCopies) {
  const Strategy a = strategy("a", 5);
  const Strategy b = strategy("b", 1);
  const Strategy copy = strategy("copy", 900, XPOSE_COPY);
  options.strategies = {"a"};
  options.config = {{"tile", 32}, {"unknown_axis", 3}};
  EXPECT_EQ(names({&a, &b, &copy}),
            (std::vector<std::string>{"copy{tile=64,rows=8}", "a{tile=32,rows=4}",
                                      "copy{tile=64,rows=4}", "copy{tile=32,rows=4}"}));
}

TEST_F(Candidates, AStrategyThatSupportsNothingSaysWhyOnce) {
  const Strategy a = strategy("a", 5);
  options.config = {{"tile", 16}};
  EXPECT_EQ(names({&a}), (std::vector<std::string>{"a tile too small"}));
}

TEST_F(Candidates, TheCardRulesOut) {
  const auto reason = [&](const auto& change) {
    Strategy a = strategy("a", 5);
    change(a.card);
    return quote(a, {64, 8}, problem, device).unsupported;
  };
  EXPECT_EQ(reason([](xpose_card&) {}), "");
  EXPECT_EQ(reason([](xpose_card& c) { c.element_sizes = 1 | 8; }),
            "serves no elements of 4 bytes");
  EXPECT_EQ(reason([](xpose_card& c) { c.min_alignment = 32; }),
            "needs rows aligned to 32 bytes; these are to 16");
  EXPECT_EQ(reason([](xpose_card& c) { c.min_compute_capability = 90; }),
            "needs compute capability 9.0");
  EXPECT_EQ(reason([](xpose_card& c) { c.max_extent = 150; }),
            "serves at most 150 rows and columns");
  problem.in_place = true;
  EXPECT_EQ(reason([](xpose_card&) {}), "does not work in place");
  EXPECT_EQ(reason([](xpose_card& c) { c.traits = XPOSE_TRAIT_IN_PLACE; }), "");
}

TEST_F(Candidates, ACopyIsAskedForTheDenseBytes) {
  problem.batch = {{3, 100000, 100000}};
  problem.out_ld = 300;
  const Strategy copy = strategy("copy", 900, XPOSE_COPY);
  const Problem dense = problem_for(copy, problem);
  EXPECT_EQ(dense.rows, 300);
  EXPECT_EQ(dense.out_ld, 200);
  EXPECT_TRUE(dense.batch.empty());
  const Strategy transpose = strategy("a", 1);
  EXPECT_EQ(problem_for(transpose, problem), problem);
}

}  // namespace
}  // namespace xpose
