// Rows beside those of trials: what was predicted, and what stands for a key.
#include <algorithm>
#include <vector>
#include <xpose/cache.hpp>

#include "cache_fixture.hpp"

namespace xpose {
namespace {

using DecisionRowsTest = CacheFixture;

TEST_F(DecisionRowsTest, TheLastPredictionsOfEachStrategyAreKept) {
  Cache cache(file, "", listener());
  EXPECT_TRUE(cache.find_errors("d1", "smem").empty());
  for (int i = 0; i < 20; ++i)
    cache.store(std::vector<Prediction>{
        {"d1", "smem", "p" + std::to_string(i), "cold", 1, 2, 1.0 + i, 100 + i}});
  cache.store(std::vector<Prediction>{{"d1", "smem", "p19", "cold", 1, 2, 50, 119},
                                      {"d1", "tile", "p", "cold", 1, 1, 1, 1},
                                      {"d2", "smem", "p", "cold", 1, 1, 3, 1}});
  std::vector<double> errors = cache.find_errors("d1", "smem");
  std::ranges::sort(errors);
  EXPECT_EQ(errors, (std::vector<double>{12, 13, 14, 15, 16, 17, 18, 19, 50}));
  EXPECT_EQ(cache.find_errors("d2", "smem"), std::vector<double>{3});
  forget(file, {"smem", "", false});
  EXPECT_TRUE(cache.find_errors("d1", "smem").empty());
  EXPECT_EQ(cache.find_errors("d1", "tile"), std::vector<double>{1});
  forget(file, {"", "p", false});
  forget(file, {"", "", true});
  EXPECT_EQ(cache.find_errors("d1", "tile"), std::vector<double>{1});
  forget(file, {});
  EXPECT_TRUE(cache.find_errors("d1", "tile").empty());
}

TEST_F(DecisionRowsTest, WhatStandsIsOfTheKeyOrElseTheNewestOfItsProblem) {
  Cache cache(file, "", listener());
  Decision older = decision_of("p", 10), newer = decision_of("p", 20), mine = decision_of("p", 5);
  older.key.plugins = "older";
  newer.key.plugins = "newer";
  cache.store(newer);
  cache.store(older);
  cache.store(decision_of("q", 30));
  EXPECT_EQ(cache.find_standing(mine.key), newer);
  cache.store(mine);
  EXPECT_EQ(cache.find_standing(mine.key), mine);
  mine.key.device = "another";
  EXPECT_EQ(cache.find_standing(mine.key), std::nullopt);
}

}  // namespace
}  // namespace xpose
