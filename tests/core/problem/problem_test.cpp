#include <gtest/gtest.h>

#include <vector>

#include "xpose/xpose.hpp"

namespace xpose {
namespace {

Problem permute(std::vector<std::int64_t> shape, std::vector<int> axes, std::uint32_t bytes = 4) {
  return permutation(shape, axes, bytes);
}

TEST(Permutation, OfTwoAxesIsAMatrix) {
  const Problem problem = permute({3, 5}, {1, 0});
  EXPECT_EQ(problem.rows, 3);
  EXPECT_EQ(problem.cols, 5);
  EXPECT_EQ(problem.in_ld, 5);
  EXPECT_EQ(problem.out_ld, 3);
  EXPECT_TRUE(problem.batch.empty());
}

TEST(Permutation, NchwToNhwcFusesThePixels) {
  const Problem problem = permute({8, 3, 10, 20}, {0, 2, 3, 1});
  EXPECT_EQ(problem.rows, 3);
  EXPECT_EQ(problem.cols, 200);
  ASSERT_EQ(problem.batch.size(), 1U);
  EXPECT_EQ(problem.batch[0], (BatchDim{8, 600, 600}));
}

TEST(Permutation, UnitAxesDisappear) {
  EXPECT_EQ(permute({1, 3, 1, 5, 1}, {3, 0, 4, 1, 2}), permute({3, 5}, {1, 0}));
}

TEST(Permutation, ThatMovesNothingIsACopy) {
  const Problem problem = permute({4, 5, 6}, {0, 1, 2});
  EXPECT_EQ(problem.rows, 1);
  EXPECT_EQ(problem.cols, 120);
}

TEST(Permutation, KeptInnermostAxisJoinsTheElement) {
  const Problem problem = permute({10, 20, 2}, {1, 0, 2}, 8);
  EXPECT_EQ(problem.element_bytes, 16U);
  EXPECT_EQ(problem.rows, 10);
  EXPECT_EQ(problem.cols, 20);
  EXPECT_EQ(problem.in_ld, 20);
  EXPECT_EQ(problem.out_ld, 10);
}

TEST(Permutation, KeptInnermostAxisOfAnUnservedSizeIsRefused) {
  for (const std::int64_t run : {3, 5, 64}) {
    try {
      permute({10, 20, run}, {1, 0, 2}, 4);
      FAIL() << run;
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::invalid);
      EXPECT_NE(std::string(e.what()).find("keeps the innermost axis"), std::string::npos);
    }
  }
}

TEST(Permutation, EmptyAxisIsAnEmptyProblem) {
  const Problem problem = permute({3, 0, 5}, {2, 1, 0});
  EXPECT_EQ(problem.rows, 0);
}

TEST(Permutation, WrongAxesAreRefused) {
  EXPECT_THROW(permute({3, 5}, {0, 0}), Error);
  EXPECT_THROW(permute({3, 5}, {0, 2}), Error);
  EXPECT_THROW(permute({3, 5}, {-1, 0}), Error);
  EXPECT_THROW(permute({3, 5}, {0}), Error);
  EXPECT_THROW(permute({3, -5}, {1, 0}), Error);
  const std::int64_t huge = std::int64_t{1} << 40;
  EXPECT_THROW(permute({huge, huge}, {1, 0}), Error);
}

TEST(AlignedAs, ReadsBothAddresses) {
  alignas(256) static char memory[512];
  const Problem problem = aligned_as(matrix(2, 2, 4), memory + 8, memory);
  EXPECT_EQ(problem.in_alignment, 8U);
  EXPECT_EQ(problem.out_alignment, 256U);
}

TEST(ProblemText, NamesWhatIsNotTheDefault) {
  EXPECT_EQ(to_string(matrix(3, 5, 4)), "3x5 of 4 bytes on host");
  Problem problem = matrix(3, 5, 1, {DeviceKind::cuda, 1});
  problem.in_ld = 7;
  problem.batch = {{9, 100, 100}};
  EXPECT_EQ(to_string(problem), "3x5 of 1 byte, batch 9, input leading dimension 7 on cuda:1");
}

TEST(DensePair, ChecksShapesAndStrides) {
  EXPECT_NO_THROW(check_dense_pair(3, 5, 5, 3, true));
  EXPECT_THROW(check_dense_pair(3, 5, 3, 5, true), Error);
  EXPECT_THROW(check_dense_pair(3, 5, 5, 3, false), Error);
}

}  // namespace
}  // namespace xpose
