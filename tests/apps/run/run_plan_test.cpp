// The division of memory: bands stay within it, inside the limits of the machine and of a device.
#include "run/run_plan.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "run/band_pipeline.hpp"

namespace xpose::app {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kPlenty = std::numeric_limits<std::uint64_t>::max();

TEST(DividedMemory, BuffersTakeThreeQuartersOfIt) {
  const RunMemory memory = divided_memory(1024 * kMiB, kPlenty, kPlenty);
  EXPECT_EQ(memory.tile_bytes * 2 * kBandBuffers, 768 * kMiB);
}

TEST(DividedMemory, TakesHalfOfWhatIsFree) {
  EXPECT_EQ(divided_memory(1024 * kMiB, 1024 * kMiB, kPlenty).tile_bytes, 96 * kMiB);
}

TEST(DividedMemory, ATileAndItsTransposeFitIntoTheDevice) {
  EXPECT_EQ(divided_memory(1024 * kMiB, kPlenty, 64 * kMiB).tile_bytes, 16 * kMiB);
}

TEST(DividedMemory, IsNeverNothing) {
  EXPECT_GE(divided_memory(kLeastRunMemory, 0, 0).tile_bytes, 64u << 10);
}

TEST(RecordBytes, AreFourTimesAsManyWhereTilesSharePages) {
  const RunMemory memory = divided_memory(1024 * kMiB, kPlenty, kPlenty);
  EXPECT_EQ(record_bytes(memory, true), 128 * kMiB);
  EXPECT_EQ(record_bytes(memory, false), 512 * kMiB);
}

TEST(TileLimits, WholePagesAreReadFromADisk) {
  const RunMemory memory = divided_memory(1024 * kMiB, kPlenty, kPlenty);
  EXPECT_GE(tile_limits(memory, 4096 * kMiB, false, false).piece_bytes, 4096u);
  EXPECT_EQ(tile_limits(memory, 4096 * kMiB, false, false).enough_bytes, memory.tile_bytes);
}

TEST(TileLimits, AFileHasSeveralTilesSoThatItsDiskIsBusyEarly) {
  const RunMemory memory = divided_memory(1024 * kMiB, kPlenty, kPlenty);
  EXPECT_EQ(tile_limits(memory, 512 * kMiB, true, false).enough_bytes, 64 * kMiB);
}

}  // namespace
}  // namespace xpose::app
