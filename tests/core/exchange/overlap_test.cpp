#include "exchange/overlap.hpp"

#include <gtest/gtest.h>

#include <tuple>

#include "../route/scattered.hpp"
#include "exchange/tiles.hpp"

namespace xpose {
namespace {

using Index = std::tuple<std::int64_t, std::int64_t, std::int64_t>;  // from, to, packed

std::vector<Index> indices(const SharedIndices& shared) {
  std::vector<Index> all;
  for (const PieceGroup& group : shared.groups)
    for (std::int64_t repeat = 0; repeat < group.repeats; ++repeat)
      for (const Piece& piece : group.pieces)
        for (std::int64_t i = 0; i < piece.extent; ++i)
          all.emplace_back(piece.from + repeat * group.from_step + i,
                           piece.to + repeat * group.to_step + i,
                           piece.packed + repeat * group.packed_step + i);
  return all;
}

std::vector<Index> counted(const AxisPlacement& from, const AxisPlacement& to,
                           std::int64_t from_part, std::int64_t to_part) {
  const CountedAxis source(from), target(to);
  std::vector<Index> all;
  for (std::size_t i = 0; i < source.parts.size(); ++i)
    if (source.parts[i] == from_part && target.parts[i] == to_part)
      all.emplace_back(source.local[i], target.local[i], static_cast<std::int64_t>(all.size()));
  return all;
}

AxisPlacement drawn_axis(Draw& draw, std::int64_t extent) {
  const std::int64_t parts = draw.number(1, 5);
  if (draw.number(0, 4) == 0) return slabs(extent, parts);
  return blocks(extent, draw.number(1, 9), parts, draw.number(0, parts - 1));
}

TEST(OverlapTest, PartsShareTheIndicesThatALoopFinds) {
  Draw draw(1);
  for (int i = 0; i < 500; ++i) {
    const std::int64_t extent = draw.number(0, 200);
    const AxisPlacement from = drawn_axis(draw, extent), to = drawn_axis(draw, extent);
    const AxisOverlap overlap(from, to);
    for (std::int64_t from_part = 0; from_part < from.parts; ++from_part)
      for (std::int64_t to_part = 0; to_part < to.parts; ++to_part) {
        const std::vector<Index> wanted = counted(from, to, from_part, to_part);
        const SharedIndices& shared = overlap.shared(from_part, to_part);
        ASSERT_EQ(indices(shared), wanted);
        ASSERT_EQ(shared.extent, static_cast<std::int64_t>(wanted.size()));
        const auto names = [&](const std::vector<std::int64_t>& parts, std::int64_t part) {
          return std::ranges::count(parts, part) == (wanted.empty() ? 0 : 1);
        };
        ASSERT_TRUE(names(overlap.to_parts(from_part), to_part));
        ASSERT_TRUE(names(overlap.from_parts(to_part), from_part));
      }
  }
}

TEST(OverlapTest, AClipHasTheIndicesBetweenItsEnds) {
  Draw draw(2);
  for (int i = 0; i < 2000; ++i) {
    const std::int64_t extent = draw.number(1, 200);
    const AxisPlacement from = drawn_axis(draw, extent), to = drawn_axis(draw, extent);
    const AxisOverlap overlap(from, to);
    const std::int64_t to_part = overlap.to_parts(from.intervals.front().part).front();
    const SharedIndices& shared = overlap.shared(from.intervals.front().part, to_part);
    const std::int64_t begin = draw.number(0, shared.extent),
                       end = draw.number(begin, shared.extent);
    std::vector<Index> wanted = indices(shared);
    wanted = {wanted.begin() + begin, wanted.begin() + end};
    for (Index& index : wanted) std::get<2>(index) -= begin;
    ASSERT_EQ(indices(clipped(shared, begin, end)), wanted);
    ASSERT_EQ(clipped(shared, begin, end).extent, end - begin);
  }
}

TEST(OverlapTest, RunsHaveTheIndicesOfTheirPieces) {
  Draw draw(3);
  for (int i = 0; i < 500; ++i) {
    const std::int64_t extent = draw.number(1, 300);
    const AxisPlacement from = drawn_axis(draw, extent), to = drawn_axis(draw, extent);
    const AxisOverlap overlap(from, to);
    const std::int64_t part = to.intervals.back().part;
    const SharedIndices& shared = overlap.shared(overlap.from_parts(part).front(), part);
    std::vector<std::pair<std::int64_t, std::int64_t>> found, wanted;
    for (const AxisRun& run : runs(shared, Place::packed, Place::to))
      for (std::int64_t repeat = 0; repeat < run.repeats; ++repeat)
        for (std::int64_t count = 0; count < run.count; ++count)
          for (std::int64_t index = 0; index < run.extent; ++index)
            found.emplace_back(run.in + repeat * run.in_period + count * run.in_step + index,
                               run.out + repeat * run.out_period + count * run.out_step + index);
    for (const auto& [at_source, at_target, packed] : indices(shared))
      wanted.emplace_back(packed, at_target);
    std::ranges::sort(found);
    ASSERT_EQ(found, wanted);
  }
}

// A trillion indices in blocks are described by one period.
TEST(OverlapTest, APeriodStandsForAll) {
  const std::int64_t extent = std::int64_t{1} << 40;
  const AxisOverlap overlap(blocks(extent, 64, 4), blocks(extent, 64, 6));
  // Block b lies in part b % 4, then in part b % 6.
  EXPECT_EQ(overlap.shared(1, 2).groups.size(), 0U);
  const SharedIndices& shared = overlap.shared(1, 1);
  ASSERT_EQ(shared.groups.size(), 2U);  // four blocks are left after the last whole period
  const std::int64_t repeats = extent / 768;
  EXPECT_EQ(shared.groups[0], (PieceGroup{{{64, 0, 0, 0}}, repeats, 192, 128, 64}));
  EXPECT_EQ(shared.groups[1].pieces,
            (std::vector<Piece>{{64, repeats * 192, repeats * 128, repeats * 64}}));
  EXPECT_EQ(shared.extent, repeats * 64 + 64);
}

TEST(OverlapTest, SmallBlocksInALargeOneAreOneRun) {
  const AxisOverlap overlap(blocks(960, 96, 2), blocks(960, 4, 3));
  const std::vector<AxisRun> found = runs(overlap.shared(0, 1), Place::from, Place::packed);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0], (AxisRun{.in = 4,
                               .out = 0,
                               .extent = 4,
                               .count = 8,
                               .in_step = 12,
                               .out_step = 4,
                               .repeats = 5,
                               .in_period = 96,
                               .out_period = 32}));
  // At the target they lie side by side, as in the message.
  EXPECT_EQ(runs(overlap.shared(0, 1), Place::packed, Place::to).size(), 1U);
  EXPECT_EQ(runs(overlap.shared(0, 1), Place::packed, Place::to)[0].extent, 32);
}

}  // namespace
}  // namespace xpose
