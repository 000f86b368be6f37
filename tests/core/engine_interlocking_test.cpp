// Outputs whose axes interlock, by plans.
#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "engine_fixture.hpp"

namespace xpose {
namespace {

// (3, 50, 7) to (7, 50, 3) at even places; places of the input are odd.
class EngineInterlockingTest : public EngineTest {
 protected:
  static constexpr std::int64_t kShape[] = {3, 50, 7}, kIn[] = {700, 14, 2}, kOut[] = {300, 2, 700};
  static constexpr int kAxes[] = {2, 1, 0};
  static constexpr std::size_t kHigh = 6 * 300 + 49 * 2 + 2 * 700 + 1;

  EngineInterlockingTest()
      : memory_(2 * kHigh), plan_(engine().plan(problem(), {.policy = Policy::estimate})) {
    std::iota(memory_.begin(), memory_.end(), 1U);
  }
  static Problem problem() {
    Problem problem = permutation(kShape, kAxes, kIn, kOut, 4);
    problem.in_alignment = problem.out_alignment = 4;
    return problem;
  }

  std::vector<std::uint32_t> memory_;
  Plan plan_;
};

TEST_F(EngineInterlockingTest, WritesEveryLayerAndNothingElse) {
  std::vector<std::uint32_t> wanted = memory_;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 50; ++j)
      for (std::size_t k = 0; k < 7; ++k)
        wanted[k * 300 + j * 2 + i * 700] = memory_[1 + i * 700 + j * 14 + k * 2];
  plan_.execute(memory_.data() + 1, memory_.data());
  EXPECT_TRUE(memory_ == wanted);
}

TEST_F(EngineInterlockingTest, RefusesAnInputWithinAnyOfItsLayers) {
  const auto executing = [&](std::size_t from) {
    return refusal_of([&] { plan_.execute(memory_.data() + from, memory_.data()); });
  };
  EXPECT_NE(executing(0).find("overlap"), std::string::npos);
  EXPECT_NE(executing(kHigh - 1).find("overlap"), std::string::npos);
  EXPECT_EQ(executing(kHigh), "none");
}

TEST_F(EngineInterlockingTest, IsTunedForALayer) {
  const TuneReport report = engine().tune(problem(), {.budget_seconds = 0.05});
  EXPECT_EQ(report.problem, plan_.problem());
  EXPECT_EQ(report.problem.batch.size(), 2U);
}

}  // namespace
}  // namespace xpose
