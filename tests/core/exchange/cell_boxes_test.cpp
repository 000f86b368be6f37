#include "exchange/cell_boxes.hpp"

#include <gtest/gtest.h>

#include <set>

#include "../route/scattered.hpp"

namespace xpose {
namespace {

using Cells = std::multiset<std::pair<std::int64_t, std::int64_t>>;

Cells cells_in(const std::vector<CellBox>& boxes) {
  Cells all;
  for (const CellBox& box : boxes)
    for (std::int64_t row = box.begin.rows; row < box.end.rows; ++row)
      for (std::int64_t col = box.begin.cols; col < box.end.cols; ++col) all.emplace(row, col);
  return all;
}

TEST(CellBoxesTest, EachCellIsInOneBox) {
  Draw draw(1);
  for (int i = 0; i < 500; ++i) {
    const std::int64_t height = draw.number(1, 7), width = draw.number(1, 7);
    std::vector<Exchange::Cell> cells;
    Cells wanted;
    for (std::int64_t row = 0; row < height; ++row)
      for (std::int64_t col = 0; col < width; ++col)
        if (draw.coin()) {
          cells.insert(cells.begin() + draw.number(0, static_cast<std::int64_t>(cells.size())),
                       {row, col});
          wanted.emplace(row, col);
        }
    ASSERT_EQ(cells_in(boxes_of(cells)), wanted);
  }
}

TEST(CellBoxesTest, CellsThatFollowEachOtherAreThreeBoxesAtMost) {
  constexpr std::int64_t kWidth = 9;
  for (std::int64_t first = 0; first < 30; ++first)
    for (std::int64_t end = first + 1; end < 60; ++end) {
      std::vector<Exchange::Cell> down, along;
      for (std::int64_t i = first; i < end; ++i) {
        along.push_back({i / kWidth, i % kWidth});
        down.push_back({i % kWidth, i / kWidth});
      }
      EXPECT_LE(boxes_of(along).size(), 3U);
      EXPECT_LE(boxes_of(down).size(), 3U);
    }
}

}  // namespace
}  // namespace xpose
