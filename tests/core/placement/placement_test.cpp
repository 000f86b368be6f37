#include "xpose/placement.hpp"

#include <gtest/gtest.h>

#include "placement/axis_index.hpp"
#include "placement/digest.hpp"

namespace xpose {
namespace {

std::string refusal(const Placement& placement, int ranks = 6, int rank = 0) {
  try {
    check_placement(placement, ranks, rank);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::invalid);
    return error.what();
  }
  return "";
}

// NUMROC of ScaLAPACK's TOOLS, as its comment states it.
std::int64_t numroc(std::int64_t n, std::int64_t nb, std::int64_t part, std::int64_t first,
                    std::int64_t parts) {
  const std::int64_t distance = (parts + part - first) % parts, whole = n / nb;
  const std::int64_t extra = whole % parts;
  return whole / parts * nb + (distance < extra ? nb : distance == extra ? n % nb : 0);
}

TEST(PlacementTest, SlabsFollowEachOther) {
  EXPECT_EQ(slabs(10, 3), (AxisPlacement{10, 3, 10, {{0, 0}, {4, 1}, {7, 2}}}));
  EXPECT_EQ(slabs(2, 4), (AxisPlacement{2, 4, 2, {{0, 0}, {1, 1}}}));
  EXPECT_EQ(slabs(0, 4), (AxisPlacement{0, 4, 1, {{0, 0}}}));
}

TEST(PlacementTest, BlocksGoRound) {
  EXPECT_EQ(blocks(100, 4, 3, 1), (AxisPlacement{100, 3, 12, {{0, 1}, {4, 2}, {8, 0}}}));
  EXPECT_EQ(blocks(7, 4, 3), (AxisPlacement{7, 3, 7, {{0, 0}, {4, 1}}}));
  EXPECT_EQ(blocks(7, std::int64_t{1} << 62, 3), (AxisPlacement{7, 3, 7, {{0, 0}}}));
}

TEST(PlacementTest, APartHoldsWhatScalapackCounts) {
  for (const std::int64_t n : {0, 1, 5, 16, 17, 63, 64, 65, 1000})
    for (const std::int64_t nb : {1, 2, 7, 16, 100})
      for (std::int64_t parts = 1; parts <= 5; ++parts)
        for (std::int64_t first = 0; first < parts; ++first)
          for (std::int64_t part = 0; part < parts; ++part)
            ASSERT_EQ(local_extent(blocks(n, nb, parts, first), part),
                      numroc(n, nb, part, first, parts))
                << n << ' ' << nb << ' ' << parts << ' ' << first << ' ' << part;
}

TEST(PlacementTest, AnIndexHasAPartAndALocalIndex) {
  const AxisPlacement axis = blocks(std::int64_t{1} << 50, 64, 3);
  const AxisIndex index(axis);
  const std::int64_t far = (std::int64_t{1} << 40) * 192 + 70;
  EXPECT_EQ(index.at(far).part, 1);
  EXPECT_EQ(index.at(far).local, (std::int64_t{1} << 40) * 64 + 6);
  EXPECT_EQ(index.at(far).end, far + 58);
  EXPECT_EQ(index.before(1, far), index.at(far).local);
  EXPECT_EQ(index.before(0, far), (std::int64_t{1} << 40) * 64 + 64);
}

TEST(PlacementTest, ABlockCyclicDescriptorIsAsScalapackHasIt) {
  const BlockCyclic descriptor{
      .m = 100, .n = 60, .mb = 8, .nb = 5, .rsrc = 1, .csrc = 2, .lld = 70, .nprow = 2, .npcol = 3};
  Placement placement = block_cyclic(descriptor, 8);
  EXPECT_EQ(placement.order, Order::column_major);
  EXPECT_EQ(placement.ranks, (std::vector<int>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(refusal(placement), "");
  // Rank 5 holds grid row 1 and grid column 2, where the first block lies.
  const std::int64_t rows = numroc(100, 8, 1, 1, 2), cols = numroc(60, 5, 2, 2, 3);
  EXPECT_EQ(local_array(placement, 5), (LocalArray{rows, cols, (cols - 1) * 70 + rows}));
  EXPECT_EQ(local_array(placement, 6), LocalArray{});
  BlockCyclic by_columns = descriptor;
  by_columns.grid = Order::column_major;
  EXPECT_EQ(block_cyclic(by_columns, 8).ranks, (std::vector<int>{0, 2, 4, 1, 3, 5}));
}

TEST(PlacementTest, AnOffsetComesBeforeTheArray) {
  Placement placement = row_slabs(10, 4, 2, 3);
  placement.leading_dimension = 7;
  placement.offset = 5;
  EXPECT_EQ(local_array(placement, 0), (LocalArray{4, 4, 5 + 3 * 7 + 4}));
  EXPECT_EQ(local_array(on_one_rank(10, 4, 2, 3), 3), (LocalArray{10, 4, 40}));
  EXPECT_EQ(local_array(column_slabs(10, 4, 2, 8), 7), (LocalArray{10, 0, 0}));
}

TEST(PlacementTest, ARefusalIsASentence) {
  const Placement good = row_slabs(10, 4, 2, 3);
  Placement bad = good;
  bad.ranks = {0, 1};
  EXPECT_EQ(refusal(bad), "a grid of 3x1 parts needs a rank for each cell, not 2");
  bad.ranks = {0, 1, 1};
  EXPECT_EQ(refusal(bad), "a placement names rank 1 twice; a rank holds one cell of the grid");
  bad.ranks = {0, 1, 6};
  EXPECT_EQ(refusal(bad), "a placement names rank 6, but there are ranks 0 to 5");
  bad = good;
  bad.leading_dimension = 3;
  EXPECT_EQ(refusal(bad),
            "the leading dimension 3 of rank 0 is shorter than its rows of 4 elements");
  bad = good;
  bad.rows.intervals = {{0, 0}, {4, 3}};
  EXPECT_EQ(refusal(bad),
            "the placement of the rows gives an interval to part 3 of 3; parts are counted from 0");
  bad.rows.intervals = {{0, 0}, {4, 1}, {4, 2}};
  EXPECT_EQ(refusal(bad),
            "the placement of the rows has an interval that begins at 4 and ends at 4; leave out "
            "what is empty");
  bad.rows.intervals = {{1, 0}};
  EXPECT_EQ(refusal(bad), "the placement of the rows needs a first interval that begins at 0");
  bad = good;
  bad.cols.period = 0;
  EXPECT_EQ(refusal(bad), "the placement of the columns needs a period of 1 to 2^60, not 0");
  bad = good;
  bad.element_bytes = 257;
  EXPECT_EQ(refusal(bad),
            "a placement cannot be used: elements have 1 to 256 bytes; state longer ones as one "
            "more axis of shorter elements");
  bad = good;
  bad.offset = -1;
  EXPECT_EQ(refusal(bad), "the offset of a placement is 0 or more, not -1");
  bad = good;
  bad.order = static_cast<Order>(7);
  EXPECT_EQ(refusal(bad),
            "a placement has the order 7, which is none of xpose::Order; state Order::row_major or "
            "Order::column_major");
  EXPECT_EQ(refusal(on_one_rank(std::int64_t{1} << 40, std::int64_t{1} << 30, 1)),
            "a matrix of 1099511627776x1073741824 elements has more than 2^63 - 1 bytes");
  EXPECT_EQ(refusal(on_one_rank(std::int64_t{1} << 40, std::int64_t{1} << 17, 1)),
            "the array of rank 0 spans more than 2^56 bytes, which no machine addresses");
  EXPECT_THROW(blocks(10, 0, 2), Error);
  EXPECT_THROW(blocks(10, 1, 2, 2), Error);
  EXPECT_THROW(blocks(10, 1, 0), Error);
  EXPECT_THROW(slabs(-1, 2), Error);
  EXPECT_THROW(slabs(1, 0), Error);
  EXPECT_THROW(block_cyclic({.m = 1, .n = 1, .nprow = 1 << 20, .npcol = 1 << 20}, 1), Error);
  EXPECT_THROW(block_cyclic({.m = 1, .n = 1, .grid = static_cast<Order>(7)}, 1), Error);
}

TEST(PlacementTest, ADigestLeavesOutTheOwnArray) {
  const auto digest = [](const Placement& placement) {
    Digest made;
    made.add(placement);
    return made.value();
  };
  const Placement one = block_cyclic({.m = 9, .n = 9, .mb = 2, .nb = 2, .nprow = 2}, 4);
  Placement other = one;
  other.leading_dimension = 9;
  other.offset = 1;
  EXPECT_EQ(digest(one), digest(other));
  other.ranks = {1, 0};
  EXPECT_NE(digest(one), digest(other));
  other = one;
  other.order = Order::row_major;
  EXPECT_NE(digest(one), digest(other));
  other = one;
  other.cols.intervals.push_back({1, 0});
  EXPECT_NE(digest(one), digest(other));
}

}  // namespace
}  // namespace xpose
