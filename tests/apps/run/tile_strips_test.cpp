// The strips of a tile: each element is in one, in the order of the input, and none is too large.
#include "run/tile_strips.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace xpose::app {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

DenseArray random_tile(std::mt19937_64& random) {
  const auto below = [&](std::uint64_t end) { return random() % end; };
  DenseArray tile;
  const std::size_t rank = 1 + below(5);
  for (std::size_t i = 0; i < rank; ++i)
    tile.extents.push_back(static_cast<std::int64_t>(1 + below(i % 2 == 0 ? 9 : 300)));
  tile.axes.resize(rank);
  std::iota(tile.axes.begin(), tile.axes.end(), 0);
  std::ranges::shuffle(tile.axes, random);
  tile.item_bytes = std::uint64_t{1} << below(9);
  return tile;
}

std::int64_t place_in(const DenseArray& tile, const std::vector<std::int64_t>& at) {
  std::int64_t place = 0;
  for (std::size_t i = 0; i < at.size(); ++i) place = place * tile.extents[i] + at[i];
  return place;
}

TEST(TileStrips, CoverEveryElementOnceInTheOrderOfTheInput) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    const DenseArray tile = random_tile(random);
    std::uint64_t most = 1 + random() % (64 << 10);
    if (i % 8 != 0) most = std::max(most, tile.bytes() >> 12);  // many thousand strips take long
    const TileStrips strips(tile, strip_extents(tile, most));
    std::int64_t elements = 0, before = -1;
    bool in_order = true, in_tile = true;
    for (std::int64_t number = 0; number < strips.size(); ++number) {
      const Block strip = strips.strip(number);
      const std::int64_t place = place_in(tile, strip.begin);
      in_order = in_order && place > before;
      before = place;
      std::int64_t of_strip = 1;
      for (std::size_t axis = 0; axis < strip.begin.size(); ++axis) {
        in_tile = in_tile && strip.begin[axis] + strip.extents[axis] <= tile.extents[axis];
        of_strip *= strip.extents[axis];
      }
      elements += of_strip;
    }
    EXPECT_TRUE(in_order) << "tile " << i;
    EXPECT_TRUE(in_tile) << "tile " << i;
    EXPECT_EQ(elements, static_cast<std::int64_t>(tile.bytes() / tile.item_bytes));
  }
}

TEST(TileStrips, KeepToTheirSizeWhereAnOutputRowHasRoom) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 2000; ++i) {
    const DenseArray tile = random_tile(random);
    const std::uint64_t most = 256 + random() % (64 << 10);
    const DenseArray strip = {strip_extents(tile, most), {}, tile.item_bytes};
    EXPECT_LE(strip.bytes(), std::max(most, tile.item_bytes));
  }
}

// No strip of a tile at an edge is larger than those of a whole one, whose buffers it has.
TEST(TileStrips, OfATileAtAnEdgeAreNoLarger) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 2000; ++i) {
    DenseArray tile = random_tile(random);
    const std::vector<std::int64_t> most = strip_extents(tile, 1 + random() % (64 << 10));
    for (std::int64_t& extent : tile.extents)
      extent = 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(extent));
    const TileStrips strips(tile, most);
    for (std::int64_t number = 0; number < strips.size(); ++number) {
      const std::vector<std::int64_t> extents = strips.strip(number).extents;
      for (std::size_t axis = 0; axis < extents.size(); ++axis)
        EXPECT_LE(extents[axis], most[axis]);
    }
  }
}

TEST(TileStrips, AreWholeRowsWhereTheseAreShort) {
  const DenseArray tile = {{9000, 4096}, {1, 0}, 4};
  EXPECT_EQ(strip_extents(tile, 32 * kMiB), (std::vector<std::int64_t>{1856, 4096}));
}

TEST(TileStrips, ATileThatHasRoomIsOne) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 2000; ++i) {
    const DenseArray tile = random_tile(random);
    EXPECT_EQ(strip_extents(tile, tile.bytes()), tile.extents);
  }
}

TEST(TileStrips, HaveALineOfEachOutputRow) {
  const DenseArray tile = {{100, 1'000'000}, {1, 0}, 4};
  const std::vector<std::int64_t> strip = strip_extents(tile, kMiB);
  EXPECT_GE(strip[0] * 4, 100);
  EXPECT_EQ(TileStrips(tile, strip).out_place({{0, 10}, {1, 1}}), 4000U);
}

}  // namespace
}  // namespace xpose::app
