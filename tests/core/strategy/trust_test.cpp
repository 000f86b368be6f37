#include "strategy/trust.hpp"

#include <gtest/gtest.h>

namespace xpose {
namespace {

TEST(Trust, AStrangersPredictionsDoNotCountUntilOneWasMeasured) {
  EXPECT_EQ(trust_of({}, false).discount, std::nullopt);
  EXPECT_FALSE(trust_of({}, false).is_shipped);
  EXPECT_EQ(trust_of({1.25}, false).discount, 1.25);
}

TEST(Trust, TheDiscountIsTheMedianAndNeverAnAdvantage) {
  EXPECT_EQ(trust_of({8, 1, 9}, false).discount, 8);
  EXPECT_EQ(trust_of({1, 100, 1}, false).discount, 1);
  EXPECT_EQ(trust_of({1, 3}, false).discount, 3);  // of two the worse
  EXPECT_EQ(trust_of({0.1, 0.2, 0.3}, false).discount, 1);
}

TEST(Trust, WhatCameWithTheLibraryCountsAsPredictedWhateverWasMeasured) {
  EXPECT_EQ(trust_of({}, true).discount, 1);
  EXPECT_TRUE(trust_of({}, true).is_shipped);
  EXPECT_EQ(trust_of({8, 8, 8, 8, 8}, true).discount, 1);
}

}  // namespace
}  // namespace xpose
