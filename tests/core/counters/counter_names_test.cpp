#include "counters/counter_names.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <set>

namespace xpose {
namespace {

TEST(CounterNames, EachValueComesToItsOwnField) {
  HardwareAccount account;
  double value = 0;
  for (const Counter& counter : counters())
    ASSERT_TRUE(set_counter(account, counter.metric, ++value)) << counter.metric;
  EXPECT_EQ(value, 11);
  EXPECT_EQ(account.totals.load_sectors, 1U);
  EXPECT_EQ(account.totals.store_sectors, 2U);
  EXPECT_EQ(account.totals.load_requests, 3U);
  EXPECT_EQ(account.totals.store_requests, 4U);
  EXPECT_EQ(account.totals.load_wavefronts, 5U);
  EXPECT_EQ(account.totals.store_wavefronts, 6U);
  EXPECT_EQ(account.arbitrated_load_wavefronts, 7U);
  EXPECT_EQ(account.arbitrated_store_wavefronts, 8U);
  EXPECT_EQ(account.dram_read_bytes, 9U);
  EXPECT_EQ(account.dram_write_bytes, 10U);
  EXPECT_EQ(account.instructions, 11U);
  EXPECT_EQ(account.totals.ideal_load_sectors, 0U);
}

TEST(CounterNames, AreDifferent) {
  std::set<std::string> names;
  for (const Counter& counter : counters()) names.insert(counter.metric);
  EXPECT_EQ(names.size(), counters().size());
}

TEST(CounterNames, ValuesAreRoundedAndMayBeLarge) {
  HardwareAccount account;
  EXPECT_TRUE(set_counter(account, "dram__bytes_read.sum", 6.6));
  EXPECT_EQ(account.dram_read_bytes, 7U);
  EXPECT_TRUE(set_counter(account, "dram__bytes_read.sum", 4503599627370496.0));
  EXPECT_EQ(account.dram_read_bytes, std::uint64_t{1} << 52);
}

TEST(CounterNames, WhatIsNoCountIsLeftOut) {
  HardwareAccount account;
  account.dram_read_bytes = 5;
  for (const double value : {-1.0, std::numeric_limits<double>::quiet_NaN(),
                             std::numeric_limits<double>::infinity(), 18446744073709551616.0})
    EXPECT_FALSE(set_counter(account, "dram__bytes_read.sum", value)) << value;
  EXPECT_FALSE(set_counter(account, "dram__bytes_read.avg", 1));
  EXPECT_EQ(account.dram_read_bytes, 5U);
}

}  // namespace
}  // namespace xpose
