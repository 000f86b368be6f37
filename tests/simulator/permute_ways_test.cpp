// Every way in which the strategy `permute` moves a tile, each on a problem that takes it.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "permutation_case.hpp"

namespace {

TEST(PermuteWays, AreTaken) {
  struct Expected {
    uint32_t bytes;
    std::vector<Axis> axes;
    const char* way;
    uint32_t compute_capability = 90;
  };
  const std::vector<Axis> pixels = {{16, 1, 3}, {24, 16, 240}, {5, 384, 48}, {3, 1920, 1}};
  const std::vector<Axis> image = {{52, 1, 3}, {137, 52, 156}, {9, 7124, 21384}, {3, 64116, 1}};
  const std::vector<Axis> odd_in = {{15, 1, 576}, {9, 15, 64}, {64, 137, 1}, {3, 8769, 8640}};
  const std::vector<Axis> odd_out = {{64, 1, 137}, {9, 64, 15}, {15, 576, 1}, {3, 8640, 8769}};
  const std::vector<Axis> odd = {{15, 1, 99}, {9, 15, 11}, {11, 135, 1}, {3, 1485, 1485}};
  const std::vector<Axis> even = {{16, 1, 240}, {5, 16, 48}, {48, 80, 1}, {3, 3840, 3840}};
  const std::vector<Axis> kept = {{64, 1, 1}, {5, 64, 704}, {11, 320, 64}};
  // So many axes that finding slots takes long; odd ones among them, one of them backwards.
  std::vector<Axis> qubits, many = {{4, 1, 8748}, {4, 8748, 1}};
  for (int i = 0; i < 15; ++i) qubits.push_back({2, 1 << i, 1 << (i * 7 + 4) % 15});
  for (const int i : {2, 5, 1, 4, 0, 3, 6}) {  // the output's order
    const auto power = [](int n) { return 4 * static_cast<int64_t>(std::pow(3, n) + 0.5); };
    many.push_back({3, power(i), power(static_cast<int>(std::ssize(many)) - 2)});
  }
  many.back().in *= -1;
  // Runs that a tile has several of, and runs of several tiles; the last tiles are shorter.
  const std::vector<Axis> rows = {{100, 1, 1}, {13, 100, 1700}, {17, 1300, 100}, {3, 22100, 22100}};
  const std::vector<Axis> lines = {{2144, 1, 1}, {3, 2144, 4288}, {2, 6432, 2144}};
  // Runs of odd length, in several tiles each, and several in a tile, backwards and repeated.
  const std::vector<Axis> odd_lines = {{9001, 1, 1}, {3, 9001, 18002}, {2, 27003, 9001}};
  const std::vector<Axis> odd_back = {{61, 1, 1}, {5, -61, 671}, {11, 305, 61}, {3, 0, 3355}};
  // Narrow rows, whose columns meet in banks unless their places are swizzled.
  const std::vector<Axis> narrow = {
      {8, 1, 2539}, {2539, 8, 1}, {2, 40624, 20312}, {2, 20312, 40624}};
  const std::vector<Axis> bits = {{32, 1, 2049}, {2049, 64, 1}, {2, 32, 65568}};
  const std::vector<Axis> back = {{64, 1, 1}, {5, -64, 704}, {11, 320, 64}, {3, 0, 3520}};
  const std::vector<Axis> patches = {
      {16, 1, 3}, {23, 16, 816}, {17, 368, 48}, {3, 6256, 1}, {2, 18768, 18768}};
  // Runs of the output that a table of places repeats in, of two, of three and of one axis; the
  // last tiles are shorter.
  const std::vector<Axis> points = {{15, 1, 1}, {4, 15, 5055}, {337, 60, 15}, {3, 20220, 20230}};
  const std::vector<Axis> pairs = {{5, 1, 1}, {2, 4000, 5}, {771, 5, 10}, {3, 8000, 7720}};
  const std::vector<Axis> line = {{7, 1, 2503}, {2503, 7, 1}, {2, 17521, 17530}, {2, 40000, 35070}};
  for (const Expected& expected : {Expected{1, points, "runs"},
                                   Expected{2, points, "runs"},
                                   Expected{1, pairs, "runs"},
                                   Expected{2, pairs, "runs"},
                                   Expected{4, pairs, "runs"},
                                   Expected{1, line, "runs"},
                                   Expected{2, line, "runs"},
                                   Expected{1, pixels, "strips"},
                                   Expected{2, pixels, "strips"},
                                   Expected{1, patches, "strips"},
                                   Expected{2, patches, "strips"},
                                   Expected{1, image, "runs"},
                                   Expected{2, image, "runs"},
                                   Expected{1, odd_in, "runs"},
                                   Expected{2, odd_in, "runs"},
                                   Expected{1, odd_out, "runs"},
                                   Expected{2, odd_out, "runs"},
                                   Expected{1, odd, "runs"},
                                   Expected{2, odd, "runs"},
                                   Expected{4, odd, "runs"},
                                   Expected{8, odd, "runs"},
                                   Expected{16, even, "elements"},
                                   Expected{1, even, "squares of 8"},
                                   Expected{2, even, "squares of 8"},
                                   Expected{4, even, "squares of 4"},
                                   Expected{8, even, "squares of 2"},
                                   Expected{1, kept, "in bulk"},
                                   Expected{4, kept, "in bulk"},
                                   Expected{4, rows, "in bulk"},
                                   Expected{4, lines, "in bulk"},
                                   Expected{4, back, "in bulk"},
                                   Expected{2, kept, "directly", 80},
                                   Expected{8, qubits, "squares of 2 in bulk"},
                                   Expected{8, qubits, "squares of 2", 80},
                                   Expected{16, many, "elements in bulk"},
                                   Expected{16, many, "elements", 80},
                                   Expected{4, rows, "directly", 80},
                                   Expected{1, rows, "shifted"},
                                   Expected{1, odd_lines, "shifted"},
                                   Expected{2, odd_lines, "shifted"},
                                   Expected{4, odd_lines, "shifted"},
                                   Expected{8, odd_lines, "shifted"},
                                   Expected{1, odd_back, "shifted"},
                                   Expected{2, narrow, "runs"},
                                   Expected{1, bits, "runs"},
                                   Expected{1, odd_in, "joined"},
                                   Expected{2, odd_in, "joined"},
                                   Expected{1, odd_out, "joined"},
                                   Expected{2, odd_out, "joined"},
                                   Expected{1, odd, "joined"},
                                   Expected{2, odd, "joined"},
                                   Expected{1, narrow, "joined"},
                                   Expected{2, narrow, "joined"},
                                   Expected{1, bits, "joined"},
                                   Expected{2, bits, "joined"}}) {
    const std::string way = expected.way;
    const bool is_past = way == "directly" || way == "shifted" || way == "in bulk";
    const std::vector<int64_t> config = {256, 0, way == "joined" ? 2 : is_past ? 0 : 1};
    for (const uint32_t skew : {0U, 1U, 2U}) {
      Permutation of{.bytes = expected.bytes,
                     .axes = expected.axes,
                     .skew = skew,
                     .multiprocessors = 1,
                     .compute_capability = expected.compute_capability};
      const Answer answer = quote(strategy_named("permute"), problem_of(of), config);
      SCOPED_TRACE(testing::Message() << of << ": " << answer.text);
      if (skew == 0) {
        EXPECT_TRUE(answer.text.ends_with(", " + way)) << way;
      }
      EXPECT_TRUE(check(of, config));
      of.in_skewed = false;
      EXPECT_TRUE(check(of, config));
    }
  }
}

// Whole axes, and axes that tiles cut.
TEST(PermuteWays, LargerTilesOfSquaresAreRight) {
  const std::vector<int64_t> larger = {768, 0, 1};
  const auto of_sides = [](uint32_t bytes, int64_t rows, int64_t cols) {
    const int64_t area = rows * cols;
    return Permutation{
        .bytes = bytes,
        .axes = {{cols, 1, rows}, {rows, cols, 1}, {3, area, 2 * area}, {2, 3 * area, area}},
        .multiprocessors = 1};
  };
  struct Tiles {
    Permutation of;
    int count;
  };
  for (const Tiles& tiles : {Tiles{of_sides(4, 96, 96), 6}, Tiles{of_sides(8, 64, 96), 6},
                             Tiles{of_sides(4, 124, 108), 12}}) {
    const Answer answer = quote(strategy_named("permute"), problem_of(tiles.of), larger);
    SCOPED_TRACE(testing::Message() << tiles.of << ": " << answer.text);
    ASSERT_EQ(answer.status, XPOSE_OK);
    EXPECT_TRUE(answer.text.starts_with("grid " + std::to_string(tiles.count) + " block 256"));
    EXPECT_TRUE(check(tiles.of, larger));
  }
  const Answer bytes = quote(strategy_named("permute"), problem_of(of_sides(1, 96, 96)), larger);
  EXPECT_EQ(bytes.status, XPOSE_UNSUPPORTED);
  EXPECT_NE(bytes.text.find("run=768 needs elements of 4 or 8 bytes"), std::string::npos);
}

}  // namespace
