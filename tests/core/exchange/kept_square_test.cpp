#include "exchange/kept_square.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "../route/move_by_loop.hpp"
#include "../route/scattered.hpp"

namespace xpose {
namespace {

struct Counts {
  int moves = 0, in_place = 0, pauses = 0;
};

// Transposes what a rank keeps, in buffers between bytes that must stay.
Counts transposed(const KeptSquare& square, std::uint32_t element_bytes,
                  std::vector<std::byte>& array) {
  Counts counts;
  const std::size_t bytes = square.buffer_bytes();
  std::vector<std::byte> memory(3 * 64 + 2 * bytes, std::byte{0x5a});
  std::byte* const first = memory.data() + 64;
  std::byte* const second = first + bytes + 64;
  square.transpose(
      array.data(), {first, second},
      [&](const std::vector<Tile>& tiles, const std::byte* in, std::byte* out) {
        for (const Tile& tile : tiles) {
          ++(tile.problem.in_place ? counts.in_place : counts.moves);
          move_by_loop(tile.problem, in + tile.in * element_bytes, out + tile.out * element_bytes);
        }
      },
      [&] { ++counts.pauses; });
  for (std::size_t i = 0; i < 64; ++i)
    for (const std::byte* guard : {memory.data(), first + bytes, second + bytes})
      EXPECT_EQ(guard[i], std::byte{0x5a});
  return counts;
}

// Of a rank's elements those that stay are transposed, and the others are as they were.
std::vector<std::byte> wanted_array(const Placement& own, int rank) {
  const Scattered scattered(own);
  const std::vector<std::byte> after = scattered.array(own, rank, true);
  std::vector<std::byte> wanted = scattered.array(own, rank, false);
  for (std::int64_t row = 0; row < own.rows.extent; ++row)
    for (std::int64_t col = 0; col < own.cols.extent; ++col) {
      if (scattered.owner(row, col) != rank || scattered.owner(col, row) != rank) continue;
      const auto at =
          static_cast<std::ptrdiff_t>(scattered.place(own, rank, row, col) * own.element_bytes);
      std::copy_n(after.begin() + at, own.element_bytes, wanted.begin() + at);
    }
  return wanted;
}

TEST(KeptSquareTest, ElementsThatStayAreTransposedAndNoOthersAreTouched) {
  Draw draw(1);
  int squares = 0, swaps = 0;
  for (int i = 0; i < 400; ++i) {
    const std::uint32_t bytes = std::array{1U, 2U, 3U, 8U, 16U, 24U}[draw.number(0, 5)];
    const Placement placement = draw.placement(40, 40, bytes, 6);
    const int rank = placement.ranks.front();
    const Placement own = draw.own(placement, rank);
    Exchange exchange(own, own, true);
    exchange.lay_out(rank);
    const std::optional<Message> kept = exchange.kept(rank);
    if (!kept) continue;
    const KeptSquare::Limits limits{draw.coin() ? 100'000 : 0, draw.number(0, 3000)};
    const KeptSquare square(exchange, *kept, limits);
    EXPECT_LE(square.buffer_bytes(), std::max<std::uint64_t>(limits.tile_bytes, bytes));
    std::vector<std::byte> array = Scattered(own).array(own, rank, false);
    const Counts counts = transposed(square, bytes, array);
    ASSERT_TRUE(array == wanted_array(own, rank)) << i;
    EXPECT_GT(counts.pauses, 0);
    squares += counts.in_place > 0 ? 1 : 0;
    swaps += counts.moves > 0 ? 1 : 0;
  }
  EXPECT_GT(squares, 20);
  EXPECT_GT(swaps, 100);
}

// Slabs, and blocks of the same ranks of rows and columns, keep one square.
TEST(KeptSquareTest, OneSquareIsOneProblemWithoutBuffers) {
  for (const Placement& placement :
       {row_slabs(90, 90, 8, 3),
        block_cyclic({.m = 90, .n = 90, .mb = 7, .nb = 7, .nprow = 2, .npcol = 2}, 8)}) {
    Exchange exchange(placement, placement, true);
    exchange.lay_out(0);
    const KeptSquare square(exchange, *exchange.kept(0), {std::int64_t{1} << 20, 1000});
    EXPECT_EQ(square.buffer_bytes(), 0U);
    std::vector<std::byte> array = Scattered(placement).array(placement, 0, false);
    const Counts counts = transposed(square, 8, array);
    EXPECT_EQ(counts.in_place, 1);
    EXPECT_EQ(counts.moves, 0);
    EXPECT_TRUE(array == wanted_array(placement, 0));
  }
}

}  // namespace
}  // namespace xpose
