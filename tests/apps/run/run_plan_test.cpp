// The division of memory: bands stay within it, inside the limits of the machine and of a device.
#include "run/run_plan.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "run/band_pipeline.hpp"
#include "run/tile_strips.hpp"

namespace xpose::app {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kPlenty = std::numeric_limits<std::uint64_t>::max();

TEST(DividedMemory, BuffersTakeThreeQuartersOfIt) {
  for (const std::uint64_t wanted : {64 * kMiB, 1024 * kMiB, 16384 * kMiB}) {
    const RunMemory memory = divided_memory(wanted, kPlenty, kPlenty);
    EXPECT_EQ((memory.tile_bytes + memory.strip_bytes) * kBandBuffers, wanted / 4 * 3);
    EXPECT_EQ(memory.band_bytes * 2 * kBandBuffers, wanted / 4 * 3);
  }
}

TEST(DividedMemory, NearlyAllOfItIsForOutput) {
  EXPECT_EQ(divided_memory(1024 * kMiB, kPlenty, kPlenty).tile_bytes, 352 * kMiB);
  EXPECT_NEAR(static_cast<double>(divided_memory(80 * kMiB, kPlenty, kPlenty).tile_bytes),
              24.0 * kMiB, kMiB);
}

TEST(DividedMemory, TakesHalfOfWhatIsFree) {
  EXPECT_EQ(divided_memory(1024 * kMiB, 1024 * kMiB, kPlenty).tile_bytes,
            divided_memory(512 * kMiB, kPlenty, kPlenty).tile_bytes);
}

TEST(DividedMemory, ATileAndItsTransposeFitIntoTheDevice) {
  const RunMemory memory = divided_memory(1024 * kMiB, kPlenty, 64 * kMiB);
  EXPECT_EQ(memory.tile_bytes, 16 * kMiB);
  EXPECT_FALSE(limits_in_turn(memory));
  const DenseArray tile = {{690, 3037}, {1, 0}, 8};
  EXPECT_EQ(strip_extents(tile, memory.strip_bytes), tile.extents);
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
  EXPECT_EQ(tile_limits(memory, 4096 * kMiB, false, false).enough_bytes,
            tile_limits(memory, 4096 * kMiB, false, false).most_bytes);
}

TEST(TileLimits, ScarceMemoryIsNotAllForTilesWhereFewOverlap) {
  const RunMemory memory = divided_memory(256 * kMiB, kPlenty, kPlenty);
  EXPECT_EQ(tile_limits(memory, 1100 * kMiB, false, false).most_bytes, 55 * kMiB);
  EXPECT_EQ(tile_limits(memory, 8192 * kMiB, false, false).most_bytes, memory.tile_bytes);
  EXPECT_EQ(tile_limits(memory, 512 * kMiB, false, false).most_bytes, memory.tile_bytes);
}

TEST(TileLimits, PlentyOfMemoryIsNotAllForTilesEither) {
  const RunMemory memory = divided_memory(65536 * kMiB, kPlenty, kPlenty);
  EXPECT_EQ(tile_limits(memory, 102400 * kMiB, false, false).most_bytes, 5120 * kMiB);
  EXPECT_EQ(tile_limits(memory, 4096 * kMiB, false, false).most_bytes, 1024 * kMiB);
}

TEST(TileLimits, AColdFileHasTwoTilesAtLeast) {
  const RunMemory memory = divided_memory(1024 * kMiB, kPlenty, kPlenty);
  EXPECT_EQ(tile_limits(memory, 160 * kMiB, false, false).enough_bytes, 20 * kMiB);
  EXPECT_EQ(tile_limits(memory, 200 * kMiB, false, false).most_bytes, memory.band_bytes);
  EXPECT_EQ(tile_limits(memory, 600 * kMiB, false, false).most_bytes, 300 * kMiB);
}

TEST(TileLimits, TilesInTurnHaveTheMemoryOfAll) {
  const RunMemory memory = divided_memory(1024 * kMiB, kPlenty, kPlenty);
  EXPECT_EQ(limits_in_turn(memory)->most_bytes, 2 * memory.tile_bytes);
}

TEST(TileLimits, AFileHasSeveralTilesSoThatItsDiskIsBusyEarly) {
  const RunMemory memory = divided_memory(1024 * kMiB, kPlenty, kPlenty);
  EXPECT_EQ(tile_limits(memory, 512 * kMiB, true, false).enough_bytes, 64 * kMiB);
}

}  // namespace
}  // namespace xpose::app
