#include "exchange/chunks.hpp"

#include <gtest/gtest.h>

#include <map>

#include "../route/scattered.hpp"

namespace xpose {
namespace {

Box turned(const Box& box) { return {{box.begin[1], box.begin[0]}, {box.end[1], box.end[0]}}; }

bool operator==(const Box& a, const Box& b) { return a.begin == b.begin && a.end == b.end; }

// How often each element of a message is in a chunk.
std::vector<int> counted(const Chunks& chunks) {
  const Message& message = chunks.message;
  const std::int64_t cols = message.shared[1]->extent;
  std::vector<int> counts(static_cast<std::size_t>(message.elements()));
  for (std::int64_t number = 0; number < chunks.count(); ++number) {
    const Box box = chunks.box(number);
    for (std::int64_t row = box.begin[0]; row < box.end[0]; ++row)
      for (std::int64_t col = box.begin[1]; col < box.end[1]; ++col)
        ++counts[static_cast<std::size_t>(row * cols + col)];
  }
  return counts;
}

void expect_cut(const Chunks& chunks, std::int64_t most) {
  EXPECT_EQ(counted(chunks), std::vector(static_cast<std::size_t>(chunks.message.elements()), 1));
  for (std::int64_t number = 0; number < chunks.count(); ++number) {
    EXPECT_LE(chunks.box(number).elements(), std::max<std::int64_t>(most, 1));
    EXPECT_LE(chunks.box(number).elements(), chunks.box(0).elements());
  }
}

TEST(ChunksTest, LinesOfAMessage) {
  Draw draw(1);
  for (int i = 0; i < 100; ++i) {
    const Placement from = draw.placement(30, 40, 3, 6), to = draw.placement(40, 30, 3, 6);
    const Exchange exchange(from, to, true);
    const std::int64_t lines = draw.number(1, 50);
    for (int rank = 0; rank < 6; ++rank)
      for (const Message& message : exchange.sends(rank)) {
        const Chunks chunks = chunks_in_lines(message, lines);
        expect_cut(chunks, lines * message.line());
        ASSERT_EQ(chunks.count(), (message.lines() + lines - 1) / lines);
        ASSERT_EQ(chunks.box(0).extent(message.fast), message.line());
      }
  }
}

// The chunk that a rank sends another leaves the places to which that of the same number comes.
TEST(ChunksTest, InPlaceTheChunksOfOneNumberChangePlaces) {
  Draw draw(2);
  for (int i = 0; i < 200; ++i) {
    const Placement placement = draw.placement(50, 50, 3, 9);
    const std::int64_t elements = draw.number(0, 300);
    const Exchange exchange(placement, placement, true);
    std::map<std::pair<int, int>, Chunks> all;
    for (int rank = 0; rank < 9; ++rank)
      for (const Message& message : exchange.sends(rank)) {
        const auto cut = chunks_in_place(message, true, rank, elements);
        expect_cut(cut, elements);
        all.emplace(std::pair(rank, message.rank), cut);
      }
    for (int rank = 0; rank < 9; ++rank)
      for (const Message& message : exchange.receives(rank)) {
        const Chunks come = chunks_in_place(message, false, rank, elements);
        const Chunks &sent = all.at({message.rank, rank}), &left = all.at({rank, message.rank});
        ASSERT_EQ(come.count(), left.count());
        for (std::int64_t number = 0; number < come.count(); ++number) {
          ASSERT_TRUE(come.box(number) == sent.box(number));
          ASSERT_TRUE(come.box(number) == turned(left.box(number)));
        }
      }
    ASSERT_FALSE(HasFailure());
  }
}

TEST(ChunksTest, InPlaceTheyAreWideAndHigh) {
  const Placement placement = row_slabs(4000, 4000, 8, 2);
  const Exchange exchange(placement, placement, true);
  const Message message = exchange.sends(0).front();  // of 2000 x 2000
  EXPECT_EQ(chunks_in_place(message, true, 0, 4'000'000).count(), 1);
  const Box box = chunks_in_place(message, true, 0, 1'000'000).box(0);
  EXPECT_EQ(box.extent(0), 896);
  EXPECT_EQ(box.extent(1), 1024);
  EXPECT_EQ(chunks_in_place(message, true, 0, 1).count(), 4'000'000);
}

}  // namespace
}  // namespace xpose
