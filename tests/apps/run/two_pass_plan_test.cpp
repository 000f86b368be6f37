// Bands and ranges hold every element once, and the pieces that they share lie where the first pass
// puts them.
#include "run/two_pass_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace xpose::app {
namespace {

struct Case {
  const char* name;
  DenseArray array;
  std::uint64_t most_bytes;
};

// The places of a block's elements in an array whose axes are in that order, as the block has them.
std::vector<std::int64_t> places(const Block& block, const std::vector<std::int64_t>& extents,
                                 const std::vector<int>& axes) {
  std::vector<std::int64_t> strides(extents.size());
  std::int64_t stride = 1;
  for (std::size_t axis = extents.size(); axis-- > 0;) {
    strides[axis] = stride;
    stride *= extents[axis];
  }
  std::vector<std::int64_t> found = {0};
  for (const int number : axes) {
    const auto axis = static_cast<std::size_t>(number);
    std::vector<std::int64_t> longer;
    for (const std::int64_t place : found)
      for (std::int64_t i = 0; i < block.extents[axis]; ++i)
        longer.push_back(place + (block.begin[axis] + i) * strides[axis]);
    found = std::move(longer);
  }
  return found;
}

std::vector<int> in_order(std::size_t rank) {
  std::vector<int> axes;
  for (std::size_t i = 0; i < rank; ++i) axes.push_back(static_cast<int>(i));
  return axes;
}

class TwoPassPlanTest : public testing::TestWithParam<Case> {
 protected:
  const DenseArray& array_ = GetParam().array;
  TwoPassPlan plan_{{array_, 80, 192}, GetParam().most_bytes};
  std::int64_t item_ = static_cast<std::int64_t>(array_.item_bytes);
  std::size_t elements_ = array_.bytes() / array_.item_bytes;

  std::vector<std::int64_t> in_places(const Block& block, const std::vector<int>& axes) const {
    return places(block, array_.extents, axes);
  }
};

TEST_P(TwoPassPlanTest, BandsAreTheInputInItsOrder) {
  std::uint64_t end = 0;
  for (std::int64_t i = 0; i < plan_.bands(); ++i) {
    const ByteRange bytes = plan_.band_bytes(i);
    EXPECT_EQ(bytes.begin, end);
    EXPECT_LE(bytes.size(), plan_.band_bytes(0).size());
    EXPECT_LE(bytes.size(), GetParam().most_bytes);
    end = bytes.end;
    const auto elements = in_places(plan_.band(i), in_order(array_.extents.size()));
    ASSERT_EQ(elements.size() * array_.item_bytes, bytes.size());
    EXPECT_TRUE(std::is_sorted(elements.begin(), elements.end()));
    EXPECT_EQ(elements.front() * item_, static_cast<std::int64_t>(bytes.begin));
  }
  EXPECT_EQ(end, array_.bytes());
}

TEST_P(TwoPassPlanTest, EveryPieceIsWhereItsElementsAre) {
  std::vector<std::int64_t> scratch;  // which element of the input lies there
  for (std::int64_t i = 0; i < plan_.bands(); ++i)
    for (const std::int64_t element : in_places(plan_.band(i), array_.axes))
      scratch.push_back(element);
  std::vector<int> reads(elements_);
  std::uint64_t end = 0;
  std::uint64_t pieces = 0;
  for (std::int64_t i = 0; i < plan_.ranges(); ++i) {
    EXPECT_EQ(plan_.range_bytes(i).begin, end);
    EXPECT_LE(plan_.range_bytes(i).size(), plan_.range_bytes(0).size());
    EXPECT_LE(plan_.range_bytes(i).size(), GetParam().most_bytes);
    std::uint64_t last = 0;
    std::uint64_t bytes_read = 0;
    plan_.for_each_piece(i, [&](const ByteRange& bytes, const Block& part) {
      const auto elements = in_places(part, array_.axes);
      ASSERT_EQ(bytes.size(), elements.size() * array_.item_bytes);
      EXPECT_GE(bytes.begin, last);
      last = bytes.end;
      bytes_read += bytes.size();
      ++pieces;
      for (std::size_t j = 0; j < elements.size(); ++j) {
        EXPECT_EQ(scratch.at(bytes.begin / array_.item_bytes + j), elements[j]);
        ++reads.at(static_cast<std::size_t>(elements[j]));
      }
    });
    EXPECT_EQ(bytes_read, plan_.range_bytes(i).size());
    end = plan_.range_bytes(i).end;
  }
  EXPECT_EQ(end, array_.bytes());
  EXPECT_EQ(std::ranges::count(reads, 1), static_cast<std::ptrdiff_t>(elements_));
  EXPECT_EQ(plan_.piece_bytes(), array_.bytes() / pieces);
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, TwoPassPlanTest,
    testing::Values(Case{"Whole", {{30, 40}, {1, 0}, 4}, 1 << 20},
                    Case{"Square", {{128, 128}, {1, 0}, 4}, 8 << 10},
                    Case{"Odd", {{131, 97}, {1, 0}, 8}, 5000},
                    Case{"LongRows", {{5, 3001}, {1, 0}, 4}, 4096},
                    Case{"LongColumns", {{3001, 5}, {1, 0}, 4}, 4096},
                    Case{"OneElement", {{7, 9}, {1, 0}, 256}, 256},
                    Case{"Reversed", {{20, 21, 22}, {2, 1, 0}, 2}, 3000},
                    Case{"Batch", {{5, 30, 31}, {0, 2, 1}, 4}, 700},
                    Case{"LargeBatch", {{50, 6, 7}, {0, 2, 1}, 4}, 700},
                    Case{"Rotation", {{13, 14, 15}, {2, 0, 1}, 16}, 2048},
                    Case{"InnerStays", {{17, 18, 19}, {1, 0, 2}, 4}, 2048},
                    Case{"Many", {{3, 4, 2, 5, 3, 4}, {4, 1, 5, 0, 3, 2}, 4}, 512}),
    [](const auto& info) { return info.param.name; });

// 16 GiB in tiles of 192 MiB: pieces are longer than a MiB, where those of one pass have 28 KiB.
TEST(TwoPassPlan, PiecesAreLong) {
  const TwoPassPlan plan({{{65536, 65536}, {1, 0}, 4}, 128, 128}, 192 << 20);
  EXPECT_GE(plan.piece_bytes(), 2U << 20);
}

TEST(TwoPassPlan, CountsBytesBeyond32Bits) {
  const TwoPassPlan plan({{{3000, 5000, 1000}, {2, 1, 0}, 16}, 128, 128}, 192 << 20);
  EXPECT_EQ(plan.band_bytes(plan.bands() - 1).end, 240'000'000'000U);
  std::uint64_t end = 0;
  plan.for_each_piece(plan.ranges() - 1,
                      [&](const ByteRange& bytes, const Block&) { end = bytes.end; });
  EXPECT_EQ(end, 240'000'000'000U);
}

}  // namespace
}  // namespace xpose::app
