#include "tuning/expectations.hpp"

#include <gtest/gtest.h>

#include "race_fixture.hpp"

namespace xpose {
namespace {

Candidate predicted(const std::string& name, double time, bool is_shipped = true) {
  Candidate made = candidate(name);
  made.predicted = time;
  made.trust.is_shipped = is_shipped;
  return made;
}

TEST(Expectations, ACandidateIsBehindThePredictedBest) {
  const std::vector<Candidate> candidates = {predicted("best", 1.1), predicted("other", 2)};
  const Expectations expectations(candidates, 2);
  EXPECT_TRUE(expectations.is_behind(candidates[1], 1.8));
  EXPECT_FALSE(expectations.is_behind(candidates[1], 1.9));
  EXPECT_FALSE(expectations.is_behind(candidate("silent"), 1));
}

TEST(Expectations, ReferencesAndClaimsMakeNoCandidateBehind) {
  std::vector<Candidate> candidates = {predicted("copy", 1), predicted("numeric", 1),
                                       predicted("claim", 1), predicted("other", 3)};
  candidates[0].role = Role::copy;
  candidates[1].role = Role::numeric;
  candidates[2].trust.discount = std::nullopt;
  EXPECT_FALSE(Expectations(candidates, 2).is_behind(candidates[3], 1));
}

TEST(Expectations, AMeasuredTimeReplacesThePrediction) {
  const std::vector<Candidate> candidates = {predicted("liar", 1, false), predicted("other", 3)};
  Expectations expectations(candidates, 2);
  EXPECT_TRUE(expectations.is_behind(candidates[1], 2));
  expectations.record_time("liar", 2.5);
  EXPECT_FALSE(expectations.is_behind(candidates[1], 1.1 * 3 / 2.5));
  EXPECT_TRUE(expectations.is_behind(candidates[1], 1.1));
  expectations.record_time("liar", 1.5);  // by another config
  EXPECT_TRUE(expectations.is_behind(candidates[1], 1.9));
}

TEST(Expectations, AShippedStrategysTimeIsBoundedByItsPrediction) {
  const std::vector<Candidate> candidates = {predicted("disturbed", 1), predicted("other", 3)};
  Expectations expectations(candidates, 2);
  expectations.record_time("disturbed", 10);
  EXPECT_TRUE(expectations.is_behind(candidates[1], 1.4));
  EXPECT_FALSE(expectations.is_behind(candidates[1], 1.6));
}

TEST(Expectations, NoTimeCountsAsFasterThanTheRoof) {
  const std::vector<Candidate> candidates = {predicted("miracle", 1.5), predicted("other", 2)};
  Expectations expectations(candidates, 2);
  expectations.record_time("miracle", 0.1);
  EXPECT_FALSE(expectations.is_behind(candidates[1], 2.1));
  EXPECT_TRUE(expectations.is_behind(candidates[1], 1.9));
}

TEST(Expectations, AFailedStrategyMakesNoCandidateBehind) {
  const std::vector<Candidate> candidates = {predicted("wrong", 1), predicted("other", 3)};
  Expectations expectations(candidates, 2);
  expectations.record_failure("wrong");
  EXPECT_FALSE(expectations.is_behind(candidates[1], 1));
}

class SecondConfigs : public testing::Test {
 protected:
  std::string sorted(double near_ratio) {
    std::vector<const Candidate*> others;
    for (const Candidate& one : candidates) others.push_back(&one);
    sort_by_first_config(others, firsts, near_ratio);
    std::string names;
    for (const Candidate* one : others) names += one->variant.strategy;
    return names;
  }
  std::vector<Candidate> candidates;
  std::map<std::string, FirstConfig> firsts;
};

TEST_F(SecondConfigs, CopiesComeFirstAndFailedStrategiesLast) {
  candidates = {candidate("x"), candidate("b"), candidate("a"), candidate("c", 900, Role::copy)};
  firsts = {{"a", {.seconds = 1}}, {"b", {.seconds = 2}}, {"c", {.seconds = 9}}};
  EXPECT_EQ(sorted(1.05), "cabx");
}

TEST_F(SecondConfigs, NearOnesKeepTheirOrder) {
  candidates = {candidate("b"), candidate("a")};
  firsts = {{"a", {.seconds = 1}}, {"b", {.seconds = 1.04}}};
  EXPECT_EQ(sorted(1.05), "ba");
  EXPECT_EQ(sorted(1.03), "ab");
}

TEST_F(SecondConfigs, AConfigPredictedSlowerThanTheFirstIsExpectedToBe) {
  candidates = {predicted("a", 4), predicted("b", 1)};
  firsts = {{"a", {.seconds = 1, .predicted = 2}}, {"b", {.seconds = 1.5, .predicted = 2}}};
  EXPECT_EQ(sorted(1), "ba");  // 2 and 1.5 seconds: a prediction makes no config faster
}

}  // namespace
}  // namespace xpose
