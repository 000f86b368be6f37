// One problem over several launches.
#include <gtest/gtest.h>

#include <xpose/cuda.hpp>

namespace {

using namespace xpose::plugin;

Problem problem_of(int64_t rows, int64_t cols, int64_t batch = 1) {
  Problem problem{};
  problem.size = sizeof problem;
  problem.element_bytes = 1;
  problem.rows = rows;
  problem.cols = cols;
  problem.in_ld = cols + 3;
  problem.out_ld = rows + 5;
  problem.batch_rank = 1;
  problem.batch[0] = {batch, 7, 9};
  return problem;
}

struct Counted {
  int parts = 0;
  int64_t elements = 0;
};

// Walks the parts of a problem whose addresses are never read: each within the limits of a grid,
// its input and output at the same place, and no two at the same place.
Counted walk(const Problem& problem, const Tiling& tiling) {
  constexpr uintptr_t kBase = uintptr_t{1} << 40;
  Launch launch{};
  launch.in = reinterpret_cast<const void*>(kBase);
  launch.out = reinterpret_cast<void*>(kBase);
  Counted counted;
  int64_t next = 0;
  for_each_part<Element<1>>(problem, launch, tiling, [&](const Part<Element<1>>& part) {
    const auto in = static_cast<int64_t>(reinterpret_cast<uintptr_t>(part.in) - kBase);
    const auto out = static_cast<int64_t>(reinterpret_cast<uintptr_t>(part.out) - kBase);
    if (problem.batch[0].extent == 1) {
      const int64_t row = in / problem.in_ld, col = in % problem.in_ld;
      EXPECT_EQ(
          out, tiling.role == XPOSE_COPY ? row * problem.out_ld + col : col * problem.out_ld + row);
      EXPECT_LE(row + part.rows, problem.rows);
      EXPECT_LE(col + part.cols, problem.cols);
    }
    EXPECT_GE(in, next);
    next = in + 1;
    EXPECT_LE(part.grid.y, 65535u);
    EXPECT_LE(part.grid.z, 65535u);
    const bool x_is_cols = tiling.x_along == Along::input_row;
    EXPECT_EQ(part.grid.x, blocks_over(x_is_cols ? part.cols : part.rows, tiling.tile_x));
    EXPECT_EQ(part.grid.y, blocks_over(x_is_cols ? part.rows : part.cols, tiling.tile_y));
    ++counted.parts;
    counted.elements += int64_t{part.rows} * part.cols * part.grid.z;
  });
  return counted;
}

TEST(GridParts, OneForAnOrdinaryProblem) {
  const Counted counted = walk(problem_of(4096, 4093), {.tile_x = 32, .tile_y = 16});
  EXPECT_EQ(counted.parts, 1);
  EXPECT_EQ(counted.elements, 4096 * 4093);
}

TEST(GridParts, RowsBeyondTheGrid) {
  const Counted counted = walk(problem_of(65535 * 16 * 2 + 1, 5000), {.tile_x = 32, .tile_y = 16});
  EXPECT_EQ(counted.parts, 3);
  EXPECT_EQ(counted.elements, int64_t{65535 * 16 * 2 + 1} * 5000);  // more than 2^32
}

TEST(GridParts, ColumnsBeyondTheGridOfAWalkDownColumns) {
  const Counted counted =
      walk(problem_of(3, 65535 * 8 + 1), {.tile_x = 128, .tile_y = 8, .x_along = Along::input_col});
  EXPECT_EQ(counted.parts, 2);
  EXPECT_EQ(counted.elements, 3 * (65535 * 8 + 1));
}

TEST(GridParts, AnExtentBeyond32Bits) {
  const int64_t cols = (int64_t{1} << 32) + 3;
  for (const int32_t role : {XPOSE_TRANSPOSE, XPOSE_COPY}) {
    const Counted counted = walk(problem_of(2, cols), {.tile_x = 256, .tile_y = 16, .role = role});
    EXPECT_EQ(counted.parts, 5);
    EXPECT_EQ(counted.elements, 2 * cols);
  }
}

TEST(GridParts, ABatchBeyondTheGrid) {
  const Counted counted = walk(problem_of(1, 1, 65536), {.tile_x = 32, .tile_y = 16});
  EXPECT_EQ(counted.parts, 2);
  EXPECT_EQ(counted.elements, 65536);
}

TEST(GridParts, QuoteCountsTheLaunches) {
  const Tiling tiling = {.tile_x = 32, .tile_y = 16, .block_x = 32, .block_y = 16};
  EXPECT_EQ(quote_tiles(problem_of(65536 * 16, 64), tiling).launch,
            "grid 2x65536 block 32x16 in 2 launches");
}

}  // namespace
