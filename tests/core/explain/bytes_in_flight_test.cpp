#include "explain/bytes_in_flight.hpp"

#include <gtest/gtest.h>

namespace xpose {
namespace {

// 4096×4096 of 4 bytes in blocks of 32×16 threads on 132 multiprocessors that hold 4 such blocks.
constexpr Residency smem = {128 * 256, 16, 4, 132};
constexpr std::uint64_t matrix_bytes = 4096ULL * 4096 * 4;

TEST(BytesInFlight, ResidentWarpsAreThoseThatFitOrAllThatThereAre) {
  EXPECT_EQ(resident_warps(smem), 4U * 132 * 16);
  EXPECT_EQ(resident_warps({100, 16, 4, 132}), 1600U);
  EXPECT_EQ(resident_warps({100, 16, 0, 132}), 0U);
}

TEST(BytesInFlight, AreAWarpsLoadsTimesTheResidentWarps) {
  // A warp loads 32 elements of 4 bytes.
  EXPECT_EQ(bytes_in_flight(smem, matrix_bytes), 4U * 132 * 16 * 128);
  // Uncoalesced: 32 sectors of 32 bytes each.
  EXPECT_EQ(bytes_in_flight(smem, 8 * matrix_bytes), 4U * 132 * 16 * 1024);
}

TEST(BytesInFlight, ASmallLaunchHasItAllInFlight) {
  EXPECT_EQ(bytes_in_flight({4, 8, 2, 132}, 4096), 4096U);
}

TEST(BytesInFlight, AWarpThatWaitsForEachOfItsLoadsHasOneInFlight) {
  EXPECT_EQ(bytes_in_flight({4, 8, 2, 132}, 4096, 4), 1024U);
}

TEST(BytesInFlight, NothingResidentIsNothing) {
  EXPECT_EQ(bytes_in_flight({0, 16, 4, 132}, 4096), 0U);
  EXPECT_EQ(bytes_in_flight({10, 0, 4, 132}, 4096), 0U);
  EXPECT_EQ(bytes_in_flight(smem, matrix_bytes, 0), 0U);
}

TEST(BytesInFlight, NeededAreBandwidthTimesLatency) {
  EXPECT_EQ(bytes_needed_in_flight(4.8e12, 700e-9), 3'360'000U);
}

}  // namespace
}  // namespace xpose
