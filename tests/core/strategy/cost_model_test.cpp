#include "strategy/cost_model.hpp"

#include <gtest/gtest.h>

#include "cost_model_fixture.hpp"
#include "xpose/plugin.h"

namespace xpose {
namespace {

// Per cent of the roof.
double share(const Demand& demand, const Problem& problem) {
  return 100 / predicted_time(demand, problem, device90(), false);
}

// The bytes that memory moves while a launch begins, over those that a launch moves.
double beginning(const Problem& problem) {
  return 6.0 * (1 << 20) /
         (2.0 * static_cast<double>(element_count(problem)) * problem.element_bytes);
}

// The time of the blocks' accesses alone, in that of a copy, without the beginning and the end of
// the launch.
double moving(const Demand& demand, const Problem& problem) {
  const double threads = static_cast<double>(demand.blocks) * demand.threads;
  return predicted_time(demand, problem, device90(), false) * (1 + beginning(problem)) -
         beginning(problem) - 16384 / threads;
}

TEST(CostModel, NothingIsPredictedOfWhatSaysNothing) {
  const Problem problem = square(1024, 4, device90());
  const Demand said{.blocks = 1024, .threads = 256, .load_run = 128, .store_run = 128};
  EXPECT_GT(share(said, problem), 0);
  const auto without = [&](auto Demand::*field) {
    Demand demand = said;
    demand.*field = 0;
    return predicted_time(demand, problem, device90(), false);
  };
  EXPECT_EQ(without(&Demand::blocks), kNotPredicted);
  EXPECT_EQ(without(&Demand::threads), kNotPredicted);
  EXPECT_EQ(without(&Demand::load_run), kNotPredicted);
  EXPECT_EQ(without(&Demand::store_run), kNotPredicted);
  EXPECT_EQ(predicted_time({}, square(64, 4, host()), host(), false), kNotPredicted);
}

// 16384x16384 of 4 bytes, 16 KiB a block of 512 threads; 11584x11584 of 8 bytes, 8 KiB of 256;
// 8192x8192 of 16 bytes, 4 KiB of 128: % of the roof on a device of compute capability 9.0, with so
// many blocks resident, which shared memory limits.
TEST(CostModel, AMultiprocessorFillsAsMeasured) {
  struct Fit {
    std::uint32_t bytes;
    std::int64_t extent;
    std::int64_t tile;
    std::uint32_t threads;
    std::uint32_t resident;
    double measured;
  };
  for (const Fit& fit :
       {Fit{4, 16384, 64, 512, 1, 60}, Fit{4, 16384, 64, 512, 2, 84}, Fit{4, 16384, 64, 512, 3, 91},
        Fit{4, 16384, 64, 512, 4, 97}, Fit{8, 11584, 32, 256, 1, 42}, Fit{8, 11584, 32, 256, 2, 68},
        Fit{8, 11584, 32, 256, 4, 87}, Fit{8, 11584, 32, 256, 8, 97}, Fit{16, 8192, 16, 128, 1, 26},
        Fit{16, 8192, 16, 128, 2, 46}, Fit{16, 8192, 16, 128, 4, 73},
        Fit{16, 8192, 16, 128, 16, 92}}) {
    const auto blocks = static_cast<std::uint64_t>(fit.extent / fit.tile);
    const Demand demand{blocks * blocks, fit.threads, 228 * 1024 / fit.resident - 1024, 256, 256};
    EXPECT_NEAR(share(demand, square(fit.extent, fit.bytes, device90())), fit.measured,
                0.07 * fit.measured)
        << fit.bytes << " bytes, " << fit.resident << " blocks";
  }
}

// 16384x16384 of 4 bytes by the study's kernels: little is in flight.
TEST(CostModel, TheStudysKernelsAreFarBehind) {
  const Problem problem = square(16384, 4, device90());
  const std::uint64_t blocks = 16384 / 32 * (16384 / 16);
  const Demand smem{
      .blocks = blocks, .threads = 512, .shared_bytes = 2176, .load_run = 128, .store_run = 64};
  EXPECT_NEAR(share(smem, problem), 45, 4.5);  // smem_pad
  const Demand unroll2{
      .blocks = blocks / 2, .threads = 512, .shared_bytes = 4224, .load_run = 256, .store_run = 64};
  EXPECT_NEAR(share(unroll2, problem), 67, 6.7);  // smem_unroll2_pad
  const Demand naive_row{.blocks = blocks, .threads = 512, .load_run = 128, .store_run = 4};
  EXPECT_LT(share(naive_row, problem), 16);
}

TEST(CostModel, RunsPayForTheSectorsTheyTouch) {
  const Demand demand{.blocks = 1 << 16, .threads = 512, .load_run = 256, .store_run = 256};
  const double aligned = moving(demand, square(16384, 4, device90()));
  // Half a sector more each at 16 bytes, 28 bytes more at 4; of a store one and a half times that.
  EXPECT_NEAR(moving(demand, square(16384, 4, device90(), 16)) - aligned, 20 / 256.0, 1e-9);
  EXPECT_NEAR(moving(demand, square(16384, 4, device90(), 4)) - aligned, 35 / 256.0, 1e-9);
  // What stays in the cache is written there.
  const double cached = moving(demand, square(1024, 4, device90()));
  EXPECT_NEAR(moving(demand, square(1024, 4, device90(), 4)) - cached, 28 / 256.0, 1e-9);
  Demand longer = demand;
  longer.store_run = 512;
  EXPECT_LT(moving(longer, square(16384, 4, device90())), aligned);
  Demand slower = longer;
  slower.slower_percent = 25;
  EXPECT_NEAR(moving(slower, square(16384, 4, device90())),
              moving(longer, square(16384, 4, device90())) + 0.25 * (268 / 256.0 + 524 / 512.0) / 2,
              1e-9);
}

// Output rows of eight bytes in a pitch of nine.
TEST(CostModel, PiecesOfARowJoinInItsSector) {
  Problem problem = square(8, 1, device90(), 1);
  problem.cols = problem.in_ld = 1 << 20;
  problem.out_ld = 9;
  Demand demand{.blocks = 1 << 14, .threads = 128, .load_run = 64, .store_run = 8};
  const double whole = moving(demand, problem);
  demand.store_run = 4;
  EXPECT_NEAR(moving(demand, problem) - whole, 9 / 8.0 * 0.5 / 2, 1e-9);
  demand.store_run = 2;
  EXPECT_NEAR(moving(demand, problem) - whole, 9 / 8.0 * 1.5 / 2, 1e-9);
  // Rows of several sectors have pieces in different ones.
  problem.rows = 32;
  problem.out_ld = 33;
  demand.store_run = 32;
  const double whole_row = moving(demand, problem);
  demand.store_run = 4;
  EXPECT_GT(moving(demand, problem) - whole_row, 3);
}

TEST(CostModel, FewBlocksLeaveTheDeviceIdle) {
  const Problem problem = square(1024, 4, device90());
  const Demand whole{.blocks = 1024, .threads = 128, .load_run = 128, .store_run = 128};
  Demand few = whole;
  few.blocks = 16;
  few.threads = 1024;
  EXPECT_GT(moving(few, problem), 4 * moving(whole, problem));
}

// Two strategies that move the same with as many blocks: the one with fewer threads ends later.
TEST(CostModel, ALaunchEndsWithItsLastBlock) {
  const Problem problem = square(256, 4, device90());
  const Demand many{
      .blocks = 64, .threads = 256, .shared_bytes = 64 << 10, .load_run = 128, .store_run = 128};
  Demand few = many;
  few.threads = 128;
  const auto time = [&](const Demand& demand) {
    return predicted_time(demand, problem, device90(), false) * (1 + beginning(problem));
  };
  EXPECT_NEAR(time(few) - time(many), 1, 1e-9);  // 8192 threads instead of 16384
}

TEST(CostModel, BarriersCostTime) {
  const Problem problem = square(256, 4, device90());
  const double bytes = 2.0 * 256 * 256 * 4;
  const auto time = [&](std::uint32_t shared) {
    const Demand demand{64, 256, shared, 128, 128};
    return predicted_time(demand, problem, device90(), false) * (1 + beginning(problem));
  };
  EXPECT_NEAR(time(4096) - time(0), (2 << 20) / bytes, 1e-9);
}

// Memory that little is asked of has time for sectors that are moved in part.
TEST(CostModel, ShortRunsCostLessOnADeviceThatIsNotBusy) {
  const auto difference = [&](std::int64_t extent) {
    const Problem problem = square(extent, 4, device90());
    Demand demand{.blocks = 32, .threads = 256, .load_run = 128, .store_run = 128};
    const double longer = predicted_time(demand, problem, device90(), false);
    demand.store_run = 16;
    return predicted_time(demand, problem, device90(), false) / longer;
  };
  EXPECT_LT(difference(256), 1.2);
  EXPECT_LT(difference(256), difference(512));
}

// A launch of a few bytes takes as long as a copy of them: both have hardly begun.
TEST(CostModel, SmallProblemsTakeAsLongAsALaunch) {
  const Demand demand{.blocks = 64, .threads = 512, .load_run = 128, .store_run = 128};
  EXPECT_GT(share(demand, square(64, 4, device90())), 60);
  EXPECT_LT(share(demand, square(2048, 4, device90())), 50);
}

// 256 threads of a capability with fewer threads a multiprocessor.
TEST(CostModel, TheCapabilitySaysHowManyBlocksFit) {
  const Demand demand{.blocks = 1 << 16, .threads = 512, .load_run = 256, .store_run = 256};
  DeviceInfo small = device90();
  small.compute_capability = 86;
  const Problem problem = square(16384, 4, device90());
  EXPECT_GT(predicted_time(demand, problem, small, false),
            predicted_time(demand, problem, device90(), false));
}

// A strategy that is launched once a matrix falls behind one that takes the batch, the further the
// smaller the matrices are.
TEST(CostModel, LaunchesCostTime) {
  const Demand on_host{.load_run = 64, .store_run = 64};
  const auto looped = [&](int n) {
    const Problem problem = square(n, 4, host());
    return predicted_time(on_host, problem, host(), false, 50) -
           predicted_time(on_host, problem, host(), false);
  };
  EXPECT_GT(looped(16), 1);
  EXPECT_NEAR(looped(16), 4 * looped(32), 1e-9);

  const Demand on_device{.blocks = 16, .threads = 256, .load_run = 64, .store_run = 64};
  for (const int side : {64, 128}) {
    const Problem problem = square(side, 4, device90());
    const double one = predicted_time(on_device, problem, device90(), false),
                 fifty = predicted_time(on_device, problem, device90(), false, 50);
    // A copy of all has begun once, the launches have fifty times.
    EXPECT_NEAR(fifty * (1 + beginning(problem) / 50), one * (1 + beginning(problem)), 1e-9);
    EXPECT_GT(fifty, 10 * one);
  }
}

// However their buffers begin.
TEST(CostModel, RowsThatKeepNoAlignmentCostMore) {
  const Demand demand{.blocks = 1024, .threads = 256, .load_run = 128, .store_run = 128};
  const auto share_of = [&](std::int64_t ld, std::uint32_t alignment) {
    Problem problem = matrix(1024, 1024, 4, device90().device);
    problem.in_ld = problem.out_ld = ld;
    problem.in_alignment = problem.out_alignment = alignment;
    return share(demand, normal_form(problem));
  };
  EXPECT_LT(share_of(1025, 256), share_of(1024, 256));
  EXPECT_EQ(share_of(1025, 256), share_of(1025, 16));
}

}  // namespace
}  // namespace xpose
