#include "exchange/exchange.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "../route/scattered.hpp"

namespace xpose {
namespace {

using Bytes = std::vector<std::byte>;
constexpr std::int64_t kElement = 4;  // bytes

// The elements of a tile, one by one.
void move(const Tile& tile, const Bytes& in, Bytes& out) {
  const Problem& problem = tile.problem;
  std::int64_t matrices = 1;
  for (const BatchDim& dim : problem.batch) matrices *= dim.extent;
  for (std::int64_t matrix = 0; matrix < matrices; ++matrix)
    for (std::int64_t row = 0; row < problem.rows; ++row)
      for (std::int64_t col = 0; col < problem.cols; ++col) {
        std::int64_t from = row * (problem.in_ld != 0 ? problem.in_ld : problem.cols) + col;
        std::int64_t to = col * (problem.out_ld != 0 ? problem.out_ld : problem.rows) + row;
        std::int64_t rest = matrix;
        for (const BatchDim& dim : problem.batch) {
          from += rest % dim.extent * dim.in_stride;
          to += rest % dim.extent * dim.out_stride;
          rest /= dim.extent;
        }
        const std::int64_t bytes = problem.element_bytes;  // those of several elements as well
        std::memcpy(out.data() + tile.out * kElement + to * bytes,
                    in.data() + tile.in * kElement + from * bytes, static_cast<std::size_t>(bytes));
      }
}

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
  const std::vector<Tile> tiles = exchange.packing(messages[0], messages[0].box());
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
  std::vector<Tile> tiles = exchange.packing(messages[2], messages[2].box_of_lines(line, line + 1));
  ASSERT_EQ(tiles.size(), 1U);
  EXPECT_EQ(tiles[0].in, side - 1);
  EXPECT_EQ(tiles[0].out, 0);
  tiles = exchange.unpacking(exchange.receives(1)[2], messages[2].box_of_lines(line, line + 1));
  ASSERT_EQ(tiles.size(), 1U);
  EXPECT_EQ(tiles[0].out, line * side + side / 4 * 3);
  EXPECT_GT(tiles[0].out, std::int64_t{1} << 31);
  tiles = exchange.moving(*exchange.kept(1), exchange.kept(1)->box_of_lines(line, line + 1));
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

TEST(ExchangeTest, ThousandsOfRanksAreRelabelledNoMore) {
  const Placement placement = row_slabs(8192, 8192, 4, 4097);
  try {
    relabelled(placement, placement);
    ADD_FAILURE() << "an assignment of hours";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::invalid);
    EXPECT_NE(std::string(error.what()).find("4096 are the most"), std::string::npos);
  }
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

// Packed lines and their rectangles, of two parts of each message, against a loop over elements.
TEST(ExchangeTest, RectanglesTakePackedLinesToTheirPlaces) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Draw draw(seed);
    constexpr int kRanks = 6;
    const std::int64_t rows = draw.number(1, 40), cols = draw.number(1, 40);
    const bool transpose = draw.coin();
    const Placement from = draw.placement(rows, cols, 4, kRanks);
    const Placement to =
        transpose ? draw.placement(cols, rows, 4, kRanks) : draw.placement(rows, cols, 4, kRanks);
    std::vector<Placement> sources, targets;
    std::vector<Bytes> arrays;
    for (int rank = 0; rank < kRanks; ++rank) {
      sources.push_back(draw.own(from, rank));
      targets.push_back(draw.own(to, rank));
      arrays.emplace_back(Scattered(to).array(targets.back(), rank, transpose).size(),
                          std::byte{0xa5});
    }
    for (int rank = 0; rank < kRanks; ++rank) {
      const auto own = static_cast<std::size_t>(rank);
      Exchange exchange(sources[own], targets[own], transpose);
      exchange.lay_out(rank);
      const Bytes in = Scattered(from).array(sources[own], rank, false);
      if (const std::optional<Message> kept = exchange.kept(rank))
        for (const Tile& tile : exchange.moving(*kept, kept->box())) move(tile, in, arrays[own]);
      for (const Message& message : exchange.sends(rank)) {
        const auto other = static_cast<std::size_t>(message.rank);
        const Placement& target = targets[other];
        const Strides strides =
            exchange.target_strides(message.rank, target.leading_dimension, target.offset);
        Bytes packed(static_cast<std::size_t>(message.elements()) * 4);
        const std::int64_t middle = message.lines() / 2;
        std::int64_t count = 0, shortest = message.line();
        for (const auto& [begin, end] :
             {std::pair{std::int64_t{0}, middle}, {middle, message.lines()}}) {
          if (begin == end) continue;
          for (const Tile& tile : exchange.packing(message, message.box_of_lines(begin, end)))
            move(tile, in, packed);
          for (const Rectangle& all :
               exchange.sending(message, message.box_of_lines(begin, end), strides)) {
            ++count;
            shortest = std::min(shortest, all.run);
            for (std::int64_t row = 0; row < all.rows; ++row)
              std::memcpy(arrays[other].data() + (all.out + row * all.out_pitch) * 4,
                          packed.data() + (all.packed + row * all.packed_pitch) * 4,
                          static_cast<std::size_t>(all.run) * 4);
          }
        }
        EXPECT_EQ(exchange.pieces(message).shortest, shortest);
        EXPECT_LE(exchange.pieces(message).count, count);
      }
    }
    for (int rank = 0; rank < kRanks; ++rank) {
      const auto own = static_cast<std::size_t>(rank);
      ASSERT_TRUE(arrays[own] == Scattered(to).array(targets[own], rank, transpose))
          << "rank " << rank << ", seed " << seed;
    }
  }
}

}  // namespace
}  // namespace xpose
