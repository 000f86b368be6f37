#include "simulation/access_rules.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>

namespace xpose {
namespace {

constexpr std::uint32_t kWhole = ~0U;
constexpr std::uint64_t kBase = 0x7f0000001000;  // sector aligned

using Addresses = std::array<std::uint64_t, 32>;

Addresses lanes_at(const std::function<std::uint64_t(std::uint64_t)>& address) {
  Addresses all{};
  for (std::uint64_t lane = 0; lane < 32; ++lane) all.at(lane) = address(lane);
  return all;
}

Addresses apart(std::uint64_t stride, std::uint64_t from = 0) {
  return lanes_at([=](std::uint64_t lane) { return from + lane * stride; });
}

TEST(Sectors, CoalescedTakesWhatItsBytesFill) {
  EXPECT_EQ(sectors(apart(1, kBase), kWhole, 1), (Served{1, 1}));
  EXPECT_EQ(sectors(apart(2, kBase), kWhole, 2), (Served{2, 2}));
  EXPECT_EQ(sectors(apart(4, kBase), kWhole, 4), (Served{4, 4}));
  EXPECT_EQ(sectors(apart(8, kBase), kWhole, 8), (Served{8, 8}));
  EXPECT_EQ(sectors(apart(16, kBase), kWhole, 16), (Served{16, 16}));
}

TEST(Sectors, MisalignedTakesOneMore) {
  EXPECT_EQ(sectors(apart(1, kBase + 1), kWhole, 1), (Served{2, 1}));
  EXPECT_EQ(sectors(apart(4, kBase + 4), kWhole, 4), (Served{5, 4}));
  EXPECT_EQ(sectors(apart(4, kBase + 28), kWhole, 4), (Served{5, 4}));
  EXPECT_EQ(sectors(apart(16, kBase + 16), kWhole, 16), (Served{17, 16}));
}

TEST(Sectors, ColumnsTakeOneALane) {
  EXPECT_EQ(sectors(apart(16384, kBase), kWhole, 4), (Served{32, 4}));
  EXPECT_EQ(sectors(apart(4096, kBase), kWhole, 1), (Served{32, 1}));
  EXPECT_EQ(sectors(apart(65536, kBase), kWhole, 16), (Served{32, 16}));
  EXPECT_EQ(sectors(apart(32, kBase), kWhole, 8), (Served{32, 8}));
  EXPECT_EQ(sectors(apart(8, kBase), kWhole, 4), (Served{8, 4}));
  EXPECT_EQ(sectors(apart(16, kBase), kWhole, 4), (Served{16, 4}));
}

TEST(Sectors, LanesThatShareBytesShareTheSector) {
  EXPECT_EQ(sectors(apart(0, kBase), kWhole, 4), (Served{1, 1}));
  EXPECT_EQ(sectors(apart(0, kBase), kWhole, 16), (Served{1, 1}));
  // Two rows of 16 lanes, 128 bytes apart: 2 sectors each.
  const Addresses two = lanes_at([](auto lane) { return kBase + lane / 16 * 128 + lane % 16 * 4; });
  EXPECT_EQ(sectors(two, kWhole, 4), (Served{4, 4}));
}

TEST(Sectors, OrderOfLanesDoesNotMatter) {
  const Addresses down = lanes_at([](auto lane) { return kBase + (31 - lane) * 4; });
  EXPECT_EQ(sectors(down, kWhole, 4), (Served{4, 4}));
  const Addresses shuffled = lanes_at([](auto lane) { return kBase + (lane * 13 % 32) * 16384; });
  EXPECT_EQ(sectors(shuffled, kWhole, 4), (Served{32, 4}));
}

TEST(Sectors, OnlyActiveLanesCount) {
  EXPECT_EQ(sectors(apart(4, kBase), 0, 4), (Served{0, 0}));
  EXPECT_EQ(sectors(apart(4, kBase), 1, 4), (Served{1, 1}));
  EXPECT_EQ(sectors(apart(4, kBase), 0x1ff, 4), (Served{2, 2}));
  EXPECT_EQ(sectors(apart(16384, kBase), 0xf0000000, 4), (Served{4, 1}));
  EXPECT_EQ(sectors(apart(4, kBase), 0x80000001, 4), (Served{2, 1}));
}

TEST(Sectors, AnAccessAcrossASectorsEdgeTakesBoth) {
  EXPECT_EQ(sectors(apart(0, kBase + 24), 1, 16), (Served{2, 1}));
}

TEST(Wavefronts, RowsHaveNoConflicts) {
  EXPECT_EQ(wavefronts(apart(4), kWhole, 4), (Served{1, 1}));
  EXPECT_EQ(wavefronts(apart(8), kWhole, 8), (Served{2, 2}));
  EXPECT_EQ(wavefronts(apart(16), kWhole, 16), (Served{4, 4}));
  EXPECT_EQ(wavefronts(apart(4, 132), kWhole, 4), (Served{1, 1}));
}

TEST(Wavefronts, SmallerLanesShareWords) {
  EXPECT_EQ(wavefronts(apart(1), kWhole, 1), (Served{1, 1}));
  EXPECT_EQ(wavefronts(apart(2), kWhole, 2), (Served{1, 1}));
  // Columns of bytes in rows of 32: 8 words between rows, so banks 0, 8, 16, 24 give 8 words each.
  EXPECT_EQ(wavefronts(apart(32), kWhole, 1), (Served{8, 1}));
  // One byte of padding: word 33 g + 8 i for lane 4 g + i, all in different banks.
  EXPECT_EQ(wavefronts(apart(33), kWhole, 1), (Served{1, 1}));
  // Rows of 65 bytes: word 65 g + 16 i for lane 4 g + i, so that lanes i and i + 2 share a bank.
  EXPECT_EQ(wavefronts(apart(65), kWhole, 1), (Served{2, 1}));
  // Four bytes of padding: 9 words between rows, prime to 32.
  EXPECT_EQ(wavefronts(apart(36), kWhole, 1), (Served{1, 1}));
}

TEST(Wavefronts, ConflictsOfPowersOfTwo) {
  EXPECT_EQ(wavefronts(apart(8), kWhole, 4), (Served{2, 1}));
  EXPECT_EQ(wavefronts(apart(16), kWhole, 4), (Served{4, 1}));
  EXPECT_EQ(wavefronts(apart(32), kWhole, 4), (Served{8, 1}));
  EXPECT_EQ(wavefronts(apart(64), kWhole, 4), (Served{16, 1}));
  EXPECT_EQ(wavefronts(apart(128), kWhole, 4), (Served{32, 1}));
  EXPECT_EQ(wavefronts(apart(256), kWhole, 4), (Served{32, 1}));
}

TEST(Wavefronts, OddStridesHaveNone) {
  for (std::uint64_t stride = 1; stride < 64; stride += 2)
    EXPECT_EQ(wavefronts(apart(4 * stride), kWhole, 4), (Served{1, 1})) << stride;
}

TEST(Wavefronts, TheSameWordIsGivenToAll) {
  EXPECT_EQ(wavefronts(apart(0, 64), kWhole, 4), (Served{1, 1}));
  EXPECT_EQ(wavefronts(apart(0, 64), kWhole, 1), (Served{1, 1}));
  EXPECT_EQ(wavefronts(apart(0, 64), kWhole, 8), (Served{2, 2}));
  EXPECT_EQ(wavefronts(apart(0, 64), kWhole, 16), (Served{4, 4}));
  // Two words of one bank, each wanted by 16 lanes.
  EXPECT_EQ(wavefronts(lanes_at([](auto lane) { return lane % 2 * 128; }), kWhole, 4),
            (Served{2, 1}));
}

// The study's tile: 16 rows of 32 floats, columns read by 16 lanes each.
TEST(Wavefronts, RenumberedColumnsOfATile) {
  const auto column = [](std::uint64_t pitch) {
    return lanes_at([=](auto lane) { return (lane % 16 * pitch + lane / 16) * 4; });
  };
  EXPECT_EQ(wavefronts(column(32), kWhole, 4), (Served{16, 1}));
  EXPECT_EQ(wavefronts(column(33), kWhole, 4), (Served{2, 1}));
  EXPECT_EQ(wavefronts(column(34), kWhole, 4), (Served{1, 1}));
}

TEST(Wavefronts, WideLanesGoInParts) {
  // Columns of doubles in rows of 32: one bank pair for all of a half.
  EXPECT_EQ(wavefronts(apart(256), kWhole, 8), (Served{32, 2}));
  // One double of padding: 16 lanes, 66 words apart, meet no bank twice.
  EXPECT_EQ(wavefronts(apart(264), kWhole, 8), (Served{2, 2}));
  EXPECT_EQ(wavefronts(apart(512), kWhole, 16), (Served{32, 4}));
  EXPECT_EQ(wavefronts(apart(528), kWhole, 16), (Served{4, 4}));
}

TEST(Wavefronts, PartsWithoutLanesCostNothing) {
  EXPECT_EQ(wavefronts(apart(8), 0x0000ffff, 8), (Served{1, 1}));
  EXPECT_EQ(wavefronts(apart(8), 0x00010000, 8), (Served{1, 1}));
  EXPECT_EQ(wavefronts(apart(16), 0x000000ff, 16), (Served{1, 1}));
  EXPECT_EQ(wavefronts(apart(16), 0x01000001, 16), (Served{2, 2}));
  EXPECT_EQ(wavefronts(apart(4), 0, 4), (Served{0, 0}));
  EXPECT_EQ(wavefronts(apart(128), 0x3, 4), (Served{2, 1}));
}

}  // namespace
}  // namespace xpose
