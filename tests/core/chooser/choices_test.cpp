#include "chooser/choices.hpp"

#include <gtest/gtest.h>

#include "problem/normal_form.hpp"

namespace xpose {
namespace {

Problem square(std::uint32_t alignment = 16) {
  Problem problem = matrix(64, 65, 4);
  problem.in_alignment = problem.out_alignment = alignment;
  return normal_form(problem);
}

Choice chosen(const std::string& strategy, bool is_estimate = false) {
  Choice choice;
  choice.winner.variant.strategy = strategy;
  choice.is_estimate = is_estimate;
  return choice;
}

// The strategy that is kept; empty: none.
std::string kept(Choices& choices, const TuneOptions& options = {}, bool or_estimate = true) {
  const auto choice = choices.find(square(), options, or_estimate);
  return choice ? choice->winner.variant.strategy : "";
}

TEST(ChoicesTest, AnEstimateIsFoundOnlyByThoseWhoMayEstimate) {
  Choices choices;
  EXPECT_EQ(choices.keep(square(), {}, chosen("a", true)).winner.variant.strategy, "a");
  EXPECT_EQ(kept(choices), "a");
  EXPECT_EQ(kept(choices, {}, false), "");
}

TEST(ChoicesTest, AMeasuredChoiceStandsAgainstAnEstimate) {
  Choices choices;
  choices.keep(square(), {}, chosen("estimated", true));
  choices.keep(square(), {}, chosen("measured"));
  choices.keep(square(), {}, chosen("estimated", true));
  EXPECT_EQ(kept(choices, {}, false), "measured");
  choices.keep(square(), {}, chosen("measured_again"));
  EXPECT_EQ(kept(choices), "measured_again");
}

TEST(ChoicesTest, WarmAndColdAreTwoChoices) {
  Choices choices;
  TuneOptions warm;
  warm.warm = true;
  choices.keep(square(), {}, chosen("cold"));
  EXPECT_EQ(kept(choices, warm), "");
  choices.keep(square(), warm, chosen("warm"));
  EXPECT_EQ(kept(choices), "cold");
  EXPECT_EQ(kept(choices, warm), "warm");
}

TEST(ChoicesTest, AChoiceAmongFewIsNotKept) {
  Choices choices;
  TuneOptions few;
  few.variants = {{"a"}};
  EXPECT_EQ(choices.keep(square(), few, chosen("a")).winner.variant.strategy, "a");
  EXPECT_EQ(kept(choices), "");
}

TEST(ChoicesTest, AProvisionalChoiceIsImprovedOnce) {
  Choices choices;
  EXPECT_FALSE(choices.claim_improvement(square(), {}));
  Choice provisional = chosen("a");
  provisional.is_provisional = true;
  choices.keep(square(), {}, provisional);
  EXPECT_TRUE(choices.claim_improvement(square(), {}));
  EXPECT_FALSE(choices.claim_improvement(square(), {}));
}

// What was chosen for one address serves the others, of which no row keeps more.
TEST(ChoicesTest, OddRowsAreOneProblemAtEveryMultipleOfSixteen) {
  Choices choices;
  const auto odd = [](std::uint32_t alignment) {
    Problem problem = matrix(61, 45, 4);
    problem.in_alignment = problem.out_alignment = alignment;
    return normal_form(problem);
  };
  choices.keep(odd(256), {}, chosen("a"));
  EXPECT_TRUE(choices.find(odd(16), {}, true));
  EXPECT_FALSE(choices.find(odd(4), {}, true));
}

TEST(ChoicesTest, AForgottenProblemTakesItsOtherAlignmentsAlong) {
  Choices choices;
  choices.keep(square(64), {}, chosen("a"));
  const Problem other = normal_form(matrix(3, 5, 4));
  choices.keep(other, {}, chosen("b"));
  choices.forget(square(16), {});
  EXPECT_FALSE(choices.find(square(64), {}, true));
  EXPECT_TRUE(choices.find(other, {}, true));
  choices.forget_all();
  EXPECT_FALSE(choices.find(other, {}, true));
}

}  // namespace
}  // namespace xpose
