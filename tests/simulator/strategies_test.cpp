// Every CUDA strategy x element size x config x problem, run by the simulator through the plugin
// ABI and compared byte for byte with a plain loop; what is not an output element must stay as it
// was.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "abi_case.hpp"

namespace {

// Strategies for some problems alone, whose quotes may refuse a problem with every config. What is
// not named here must serve whatever its card admits.
const std::map<std::string, const char*> kSpecialists = {
    {"batch", "dense batches of small matrices"},
    {"fat", "in place, rows of whole 16-byte accesses"},
    {"lanes", "rows of 16 columns and more, not aligned"},
    {"skinny", "a short side without gaps"},
    {"swap_unaligned", "in place"},
    {"swap_vectors", "in place, rows of whole 16-byte accesses"},
};

// Whether the card admits a problem: what the library asks before it asks for a quote.
bool admits(const xpose_card& card, const xpose_problem& problem) {
  const uint32_t needed = card.min_alignment == 0 ? problem.element_bytes : card.min_alignment;
  return std::min(problem.in_alignment, problem.out_alignment) >= needed &&
         problem.batch_rank <= card.max_batch_rank &&
         (problem.in_place == 0 || (card.traits & XPOSE_TRAIT_IN_PLACE) != 0) &&
         (card.max_extent == 0 || std::max(problem.rows, problem.cols) <= card.max_extent);
}

// Runs one case and compares. The config must be one that quote accepts.
void check(const xpose_strategy& strategy, const std::vector<int64_t>& config, const Case& c,
           uint32_t element_bytes) {
  SCOPED_TRACE(testing::Message() << name_of(*strategy.card, config) << ", " << c << ", "
                                  << element_bytes << " bytes");
  const xpose_problem problem = problem_of(c, element_bytes, strategy.card->role);
  Buffers buffers(c, problem, strategy.card->role);
  void* const out = buffers.out.data() + buffers.out_at;
  const void* const in = c.in_place ? out : buffers.in.data() + buffers.in_at;
  const xpose_launch launch = {sizeof(xpose_launch), 0, in, out, nullptr, nullptr, nullptr};
  std::vector<xpose_region> regions = {{out, buffers.out.size() - buffers.out_at - kGuard}};
  if (!c.in_place) regions.push_back({in, buffers.in.size() - buffers.in_at});
  const Traced traced = trace(strategy, problem, config, launch, regions);
  ASSERT_EQ(traced.status, XPOSE_OK) << traced.text;
  ASSERT_TRUE(traced.faults.empty()) << traced.faults.front().text;
  ASSERT_TRUE(buffers.out == buffers.expected);
  ASSERT_TRUE(buffers.in == buffers.untouched) << "the input was written";
}

class SimulatedStrategies : public testing::TestWithParam<std::string> {
 protected:
  const xpose_strategy& strategy() const { return strategy_named(GetParam()); }
  const xpose_card& card() const { return *strategy().card; }

  // Runs a case with the configs that the strategy offers for it, all or the first of them.
  void check_case(const Case& c, uint32_t element_bytes, bool every_config) {
    const xpose_problem problem = problem_of(c, element_bytes, card().role);
    if (!admits(card(), problem)) return;
    bool served = false;
    for (const std::vector<int64_t>& config : configs_of(card())) {
      const Answer answer = quote(strategy(), problem, config);
      if (answer.status == XPOSE_UNSUPPORTED) {
        ASSERT_NE(answer.text, "");
        continue;
      }
      ASSERT_EQ(answer.status, XPOSE_OK) << answer.text;
      ASSERT_NO_FATAL_FAILURE(check(strategy(), config, c, element_bytes));
      served = true;
      if (!every_config) break;
    }
    EXPECT_TRUE(served || kSpecialists.contains(card().name))
        << c << ", " << element_bytes << " bytes";
    ran_ += served ? 1 : 0;
  }
  // With every element size that the card has.
  void check_cases(const std::vector<Case>& cases, bool every_config) {
    for (uint32_t bytes = 1; bytes != 0; bytes *= 2) {
      if ((card().element_sizes & bytes) == 0) continue;
      ran_ = 0;
      for (const Case& c : cases) ASSERT_NO_FATAL_FAILURE(check_case(c, bytes, every_config));
      EXPECT_GT(ran_, 0) << "none of the cases is for elements of " << bytes << " bytes";
    }
  }

 private:
  int ran_ = 0;
};

TEST_P(SimulatedStrategies, EveryConfigOnSmallProblems) {
  check_cases({{1, 1},
               {1, 65},
               {70, 1},
               {31, 33},
               {17, 5, 3, 2},
               {32, 64},
               {33, 65, 0, 7},
               {37, 51, 13, 11},  // rows of bytes at multiples of 16 as well
               {15, 19, 1, 2, 3},
               {13, 11, 5, 3, 3, 0, true},
               {5, 5, 0, 0, 100, 0, true},
               {7, 3, 0, 0, 100, 0, true},
               {32, 32, 0, 0, 3, 0, true},
               {300, 3},
               {3, 300},
               {33, 33, 2, 2, 1, 0, false, true},
               {32, 32, 0, 0, 2, 0, true, true},
               {31, 31, 1, 1, 3, 0, true, true}},
              true);
}

TEST_P(SimulatedStrategies, FirstConfigOnLargerProblems) {
  check_cases({{1, 4099},
               {4099, 1},
               {257, 131},
               {127, 129},
               {128, 128},
               {129, 127},
               {64, 256},
               {63, 255, 1, 3},
               {65, 257, 8, 16},
               {259, 517, 11, 13},
               {65, 67, 2, 1, 3},
               {4099, 16},
               {3, 4099, 0, 1},
               {2048, 2, 0, 0, 3, 0, true},
               {13, 27, 0, 0, 301, 0, true},
               {64, 128, 0, 0, 3, 0, false, false, true},
               {192, 64, 0, 0, 2, 0, false, false, true},
               {80, 48, 16, 32, 5, 0, false, false, true},
               {33, 65, 0, 0, 3, 0, false, false, true},
               {5, 131, 1, 2, 7, 0, false, false, true},
               {272, 272, 0, 0, 1, 0, false, true},
               {257, 257, 15, 15, 2, 0, true, true}},
              false);
}

class SimulatedStrategiesOfAnyAlignment : public SimulatedStrategies {};

TEST_P(SimulatedStrategiesOfAnyAlignment, LessAlignedThanTheElement) {
  std::vector<Case> cases;
  for (const uint32_t skew : {1u, 2u, 4u, 8u})
    for (Case c : {Case{1, 1}, Case{31, 33}, Case{65, 41, 1, 2}, Case{3, 1025},
                   Case{33, 33, 2, 2, 1, 0, false, true}}) {
      c.skew = skew;
      cases.push_back(c);
    }
  check_cases(cases, false);
}

// The strategies whose card satisfies the condition.
template <class Condition>
auto cases_where(const Condition& condition) {
  std::vector<std::string> names;
  for (const xpose_strategy* strategy : simulated_strategies())
    if (condition(*strategy->card)) names.push_back(strategy->card->name);
  return testing::ValuesIn(names);
}

// Matrices are no cases for strategies of permutations, which permute_test.cpp and odd_test.cpp
// run.
const auto kAny = [](const xpose_card& card) { return card.max_batch_rank <= 1; };
const auto kAnyAlignment = [](const xpose_card& card) {
  return kAny(card) && card.min_alignment == 1;
};

std::string name_of_param(const testing::TestParamInfo<std::string>& info) { return info.param; }

INSTANTIATE_TEST_SUITE_P(Strategies, SimulatedStrategies, cases_where(kAny), name_of_param);
INSTANTIATE_TEST_SUITE_P(Strategies, SimulatedStrategiesOfAnyAlignment, cases_where(kAnyAlignment),
                         name_of_param);

TEST(Specialists, AreStrategies) {
  for (const auto& [name, serves] : kSpecialists) EXPECT_NO_THROW(strategy_named(name)) << serves;
}

}  // namespace
