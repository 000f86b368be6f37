// The cost model of the host.
#include <gtest/gtest.h>

#include "cost_model_fixture.hpp"
#include "strategy/cost_model.hpp"

namespace xpose {
namespace {

// Matrices less than a line apart in the output are parts of the same lines.
TEST(CostModel, OnTheHostLaunchesThatWriteTheSameLinesCostTime) {
  Problem problem = square(64, 4, host());
  problem.batch = {{100, 4096, 4096}, {2, 409'600, 2}};
  EXPECT_GT(shared_lines_time(problem, 1), 0);
  EXPECT_EQ(shared_lines_time(problem, 2), 0);  // in one launch
  problem.batch[1].out_stride = 16;
  EXPECT_EQ(shared_lines_time(problem, 1), 0);  // 64 bytes apart
  problem.batch[1].out_stride = 2;
  problem.device = device90().device;
  EXPECT_EQ(shared_lines_time(problem, 1), 0);
}

// Each of them is over before another thread is awake.
TEST(CostModel, OnTheHostALoopOverShortLaunchesHasOneThread) {
  const Demand demand{.load_run = 64, .store_run = 64};
  const auto threads_lost = [&](int side, int launches) {
    const Problem problem = square(side, 4, host());
    return predicted_time(demand, problem, host(), false, launches) -
           predicted_time(demand, problem, host(), false, 2);
  };
  EXPECT_GT(threads_lost(128, 1000), 1);
  EXPECT_EQ(threads_lost(128, 4), 0);  // so has any other strategy
  EXPECT_EQ(threads_lost(16, 10), 0);  // likewise
  EXPECT_EQ(threads_lost(512, 1000), 0);
}

// Runs of a line, each of which costs a quarter of a line more, or 80 bytes past the caches.
TEST(CostModel, OnTheHostStoresBypassACacheThatHoldsNothing) {
  constexpr double kOrdinary = 1.25, kUncached = 2.25;
  const Demand ordinary{.load_run = 64, .store_run = 64};
  Demand uncached = ordinary;
  uncached.traits = XPOSE_QUOTE_UNCACHED_STORES;
  const Problem small = square(512, 4, host());
  const Problem large = square(4096, 4, host());
  EXPECT_EQ(predicted_time(ordinary, small, host(), true), kOrdinary);
  EXPECT_EQ(predicted_time(uncached, small, host(), true), (kOrdinary + 2.4 * kUncached) / 2);
  for (const auto& [problem, warm] : {std::pair(small, false), std::pair(large, true)}) {
    EXPECT_EQ(predicted_time(ordinary, problem, host(), warm), 3.4 / 2 * kOrdinary);
    EXPECT_EQ(predicted_time(uncached, problem, host(), warm), (kOrdinary + kUncached) / 2);
  }
  Problem in_place = large;
  in_place.in_place = true;
  EXPECT_EQ(predicted_time(ordinary, in_place, host(), false), kOrdinary);
}

// Half of the time is the output's: 48 bytes that are moved and 128 for two ends of a run.
TEST(CostModel, OnTheHostLinesThatRunsShareCostMoreWhereStoresBypassTheCaches) {
  const auto lost = [](std::uint32_t traits) {
    const Demand demand{.load_run = 1024, .store_run = 1024, .traits = traits};
    Problem problem = square(4096, 4, host());
    const double whole = predicted_time(demand, problem, host(), false);
    problem.out_alignment = 16;
    problem.out_ld += 4;
    return predicted_time(demand, problem, host(), false) - whole;
  };
  EXPECT_DOUBLE_EQ(lost(XPOSE_QUOTE_UNCACHED_STORES), (48.0 + 128) / 1024 / 2);
  EXPECT_NEAR(lost(0), 2.4 * 48.0 / 1024 / 2, 1e-12);  // fetched, and written
}

// Of 384x384 each of 8 threads has 144 KiB in and out, of 1024x1024 1 MiB, and each of 64 128 KiB.
TEST(CostModel, OnTheHostTheCachesOfManyThreadsKeepWhatTheyStore) {
  const Demand ordinary{.load_run = 64, .store_run = 64};
  Demand uncached = ordinary;
  uncached.traits = XPOSE_QUOTE_UNCACHED_STORES;
  const auto time = [](const Demand& demand, int side, unsigned processors) {
    return predicted_time(demand, square(side, 4, host(processors)), host(processors), false);
  };
  EXPECT_EQ(time(ordinary, 384, 8), 2.6 / 2 * 1.25);
  EXPECT_EQ(time(ordinary, 384, 7), 3.4 / 2 * 1.25);
  EXPECT_EQ(time(ordinary, 1024, 8), 3.4 / 2 * 1.25);
  EXPECT_EQ(time(ordinary, 1024, 64), 2.6 / 2 * 1.25);
  EXPECT_EQ(time(ordinary, 256, 64), 3.4 / 2 * 1.25);  // one thread
  EXPECT_EQ(time(uncached, 384, 8), time(uncached, 384, 2));
  // In warm caches, where those that bypass them send the lines away.
  for (const Demand& demand : {ordinary, uncached})
    EXPECT_EQ(predicted_time(demand, square(384, 4, host(8)), host(8), true),
              predicted_time(demand, square(384, 4, host(2)), host(2), true));
}

TEST(CostModel, OnTheHostShortRunsCostMore) {
  const auto time = [](std::uint64_t run) {
    const Demand demand{.load_run = run, .store_run = run, .traits = XPOSE_QUOTE_UNCACHED_STORES};
    return predicted_time(demand, square(4096, 4, host()), host(), false);
  };
  EXPECT_EQ(time(128), 1 + (16 + 80) / 128.0 / 2);
  EXPECT_EQ(time(2048), 1 + (16 + 80) / 2048.0 / 2);
}

// It has one thread, however many processors there are.
TEST(CostModel, APredictionOfAShortLaunchDoesNotDependOnTheProcessors) {
  const Demand demand{.load_run = 64, .store_run = 64};
  const Problem small = square(64, 4, host());
  for (const std::int64_t launches : {1, 1000})
    EXPECT_EQ(predicted_time(demand, small, host(1), false, launches),
              predicted_time(demand, small, host(64), false, launches));
}

}  // namespace
}  // namespace xpose
