#include "exchange/exchange.hpp"

#include <gtest/gtest.h>

#include "../route/scattered.hpp"

namespace xpose {
namespace {

TEST(ExchangeTest, TheFiguresAreTheLeastPossible) {
  Draw draw(1);
  for (int i = 0; i < 300; ++i) {
    const std::int64_t rows = draw.number(0, 30), cols = draw.number(0, 30);
    const bool transpose = draw.coin();
    const Placement from = draw.placement(rows, cols, 3, 12);
    const Placement to =
        transpose ? draw.placement(cols, rows, 3, 12) : draw.placement(rows, cols, 3, 12);
    const LeastTraffic least(from, to, transpose);
    const RouteFigures figures = foresee(from, to, transpose);
    ASSERT_EQ(figures.bytes_sent, least.moves * 3);
    ASSERT_EQ(figures.bytes_kept, least.stays * 3);
    ASSERT_EQ(figures.messages, static_cast<std::int64_t>(least.pairs.size()));
    std::int64_t most = 0;
    for (int rank = 0; rank < 12; ++rank)
      most = std::max({most, std::ranges::count(least.pairs, rank, &std::pair<int, int>::first),
                       std::ranges::count(least.pairs, rank, &std::pair<int, int>::second)});
    ASSERT_EQ(figures.most_messages, most);
    ASSERT_LE(figures.most_messages, 11);
  }
}

TEST(ExchangeTest, BlocksOfAMessageAreABatch) {
  const Placement from =
      block_cyclic({.m = 4800, .n = 4800, .mb = 40, .nb = 40, .nprow = 2, .npcol = 2}, 8);
  const Placement to =
      block_cyclic({.m = 4800, .n = 4800, .mb = 40, .nb = 40, .nprow = 1, .npcol = 3}, 8);
  Exchange exchange(from, to, true);
  exchange.lay_out(1);
  const std::vector<Message> messages = exchange.sends(1);
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_EQ(messages[0].elements(), 800 * 2400);
  const std::vector<Tile> tiles = exchange.packing(messages[0], 0, messages[0].lines());
  ASSERT_EQ(tiles.size(), 1U);
  EXPECT_EQ(tiles[0].problem.element_bytes, 8U);
  std::int64_t elements = tiles[0].problem.rows * tiles[0].problem.cols;
  for (const BatchDim& dim : tiles[0].problem.batch) elements *= dim.extent;
  EXPECT_EQ(elements, messages[0].elements());
}

TEST(ExchangeTest, MessagesMayHaveMoreThanTwoToTheThirtyOneElements) {
  const std::int64_t side = std::int64_t{1} << 20;
  const RouteFigures figures = foresee(row_slabs(side, side, 1, 4), row_slabs(side, side, 1, 4));
  EXPECT_EQ(figures.messages, 12);
  EXPECT_EQ(figures.bytes_sent, side * side / 4 * 3);
  EXPECT_EQ(figures.most_bytes, side * side / 16 * 3);
}

// The last lines of a message of 2^36 elements.
TEST(ExchangeTest, TilesReachBeyondTwoToTheThirtyOne) {
  const std::int64_t side = std::int64_t{1} << 20;
  Exchange exchange(row_slabs(side, side, 3, 4), row_slabs(side, side, 3, 4), true);
  exchange.lay_out(1);
  const std::vector<Message> messages = exchange.sends(1);
  ASSERT_EQ(messages.size(), 3U);
  EXPECT_EQ(messages[2].elements(), side * side / 16);
  // To rank 3: its rows are the source's columns from 3/4 on.
  const std::int64_t line = side / 4 - 1;
  std::vector<Tile> tiles = exchange.packing(messages[2], line, line + 1);
  ASSERT_EQ(tiles.size(), 1U);
  EXPECT_EQ(tiles[0].in, side - 1);
  EXPECT_EQ(tiles[0].out, 0);
  tiles = exchange.unpacking(exchange.receives(1)[2], line, line + 1);
  ASSERT_EQ(tiles.size(), 1U);
  EXPECT_EQ(tiles[0].out, line * side + side / 4 * 3);
  EXPECT_GT(tiles[0].out, std::int64_t{1} << 31);
  tiles = exchange.moving(*exchange.kept(1), line, line + 1);
  EXPECT_EQ(tiles[0].in, side / 2 - 1);
  EXPECT_EQ(tiles[0].out, line * side + side / 4);
}

// A petabyte over thousands of ranks is planned by its axes.
TEST(ExchangeTest, ThousandsOfRanksAreForeseen) {
  const std::int64_t side = 11'000'000;
  const Placement from =
      block_cyclic({.m = side, .n = side, .mb = 64, .nb = 64, .nprow = 64, .npcol = 64}, 8);
  const Placement to =
      block_cyclic({.m = side, .n = side, .mb = 128, .nb = 96, .nprow = 32, .npcol = 128}, 8);
  const RouteFigures figures = foresee(from, to);
  EXPECT_EQ(figures.bytes_sent + figures.bytes_kept, side * side * 8);
  EXPECT_LE(figures.most_messages, 4095);
}

TEST(ExchangeTest, OtherMatricesAreRefused) {
  try {
    foresee(row_slabs(4, 6, 8, 2), row_slabs(4, 6, 8, 2));
    ADD_FAILURE() << "the transpose of 4x6 is no 4x6";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::invalid);
    EXPECT_STREQ(error.what(),
                 "the target placement is of 4x6 elements of 8 bytes, but the transpose of the "
                 "source is of 6x4 elements of 8 bytes");
  }
  EXPECT_THROW(foresee(row_slabs(4, 6, 8, 2), row_slabs(4, 6, 4, 2), false), Error);
}

TEST(ExchangeTest, RelabelledRanksKeepWhatTheyHave) {
  Placement from = row_slabs(12, 12, 4, 4), to = from;
  to.ranks = {3, 2, 1, 0};
  EXPECT_EQ(foresee(from, to, false).bytes_kept, 0);
  EXPECT_EQ(relabelled(from, to, false).ranks, from.ranks);
  EXPECT_EQ(foresee(from, relabelled(from, to, false), false).bytes_sent, 0);
  EXPECT_EQ(relabelled(from, from, false), from);
  // Of ranks that hold nothing before, none gains: the caller's order stays.
  to.ranks = {7, 6, 5, 4};
  EXPECT_EQ(relabelled(from, to, false).ranks, to.ranks);
}

TEST(ExchangeTest, RelabellingNeverSendsMore) {
  Draw draw(5);
  for (int i = 0; i < 100; ++i) {
    const Placement from = draw.placement(20, 30, 4, 12), to = draw.placement(30, 20, 4, 12);
    const Placement other = relabelled(from, to);
    EXPECT_TRUE(std::ranges::is_permutation(other.ranks, to.ranks));
    EXPECT_LE(foresee(from, other).bytes_sent, foresee(from, to).bytes_sent);
  }
}

}  // namespace
}  // namespace xpose
