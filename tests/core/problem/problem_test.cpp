#include <gtest/gtest.h>

#include <limits>
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

TEST(Permutation, AKeptInnermostAxisIsTheColumnsOfOneRow) {
  const Problem problem = permute({10, 20, 3}, {1, 0, 2}, 8);
  EXPECT_EQ(problem.element_bytes, 8U);
  EXPECT_EQ(problem.rows, 1);
  EXPECT_EQ(problem.cols, 3);
  EXPECT_EQ(problem.out_ld, 1);
  EXPECT_EQ(problem.batch, (std::vector<BatchDim>{{20, 3, 30}, {10, 60, 3}}));
}

TEST(Permutation, TakesStridesOfAnySign) {
  const std::int64_t shape[] = {10, 20}, in[] = {-20, 1}, out[] = {16, -1};
  const int axes[] = {1, 0};
  const Problem problem = permutation(shape, axes, in, out, 4);
  EXPECT_EQ(problem.cols, 20);
  EXPECT_EQ(problem.out_ld, 16);
  EXPECT_EQ(problem.batch, (std::vector<BatchDim>{{10, -20, -1}}));
  const std::int64_t zero[] = {0, 1};
  EXPECT_THROW(permutation(shape, axes, in, zero, 4), Error);
  EXPECT_THROW(permutation(shape, axes, std::span(in, 1), out, 4), Error);
  for (const std::int64_t far : {std::numeric_limits<std::int64_t>::min(),
                                 std::numeric_limits<std::int64_t>::max(), std::int64_t{1} << 60}) {
    const std::int64_t strides[] = {far, 1};
    EXPECT_THROW(permutation(shape, axes, strides, out, 4), Error);
    EXPECT_THROW(permutation(shape, axes, in, strides, 4), Error);
  }
}

TEST(ElementSize, IsOneTo256Bytes) {
  for (std::uint64_t bytes = 0; bytes <= 600; ++bytes)
    EXPECT_EQ(element_size_refusal(bytes).empty(), bytes >= 1 && bytes <= 256) << bytes;
}

TEST(ElementSize, ACardServesFatOnesByOneBit) {
  EXPECT_TRUE(serves_elements(31, 16));
  EXPECT_FALSE(serves_elements(31, 32));
  EXPECT_FALSE(serves_elements(31, 48));  // 32 + 16, but not 16
  EXPECT_TRUE(serves_elements(32, 32));
  EXPECT_TRUE(serves_elements(32, 48));
  EXPECT_TRUE(serves_elements(32, 256));
  EXPECT_FALSE(serves_elements(32, 16));
  EXPECT_FALSE(serves_elements(63, 3));
  EXPECT_FALSE(serves_elements(63, 40));
  EXPECT_FALSE(serves_elements(63, 272));
}

TEST(Permutation, EmptyAxisIsAnEmptyProblem) {
  const Problem problem = permute({3, 0, 5}, {2, 1, 0});
  EXPECT_EQ(problem.rows, 0);
  const std::int64_t huge = std::int64_t{1} << 62;  // an array without elements is not too large
  EXPECT_EQ(permute({0, huge, huge}, {2, 1, 0}).rows, 0);
  EXPECT_EQ(permute({huge, huge, 0}, {2, 1, 0}).rows, 0);
}

TEST(Permutation, AnEmptyProblemHasAnyStrides) {
  const std::int64_t shape[] = {3, 0}, most = std::numeric_limits<std::int64_t>::max();
  const int axes[] = {1, 0};
  for (const std::int64_t stride : {std::int64_t{0}, most, -most}) {
    const std::int64_t strides[] = {stride, stride};
    EXPECT_EQ(permutation(shape, axes, strides, strides, 4).rows, 0) << stride;
  }
  const std::int64_t wrong[] = {-1, 0}, ones[] = {1, 1};
  EXPECT_THROW(permutation(wrong, axes, ones, ones, 4), Error);
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
  EXPECT_EQ(to_string(matrix(3, 5, 256)), "3x5 of 256 bytes on host");
  Problem fat = matrix(3, 5, 48);
  fat.in_alignment = 8;
  EXPECT_EQ(to_string(fat), "3x5 of 48 bytes, aligned to 8 bytes on host");
  EXPECT_EQ(to_string(problem), "3x5 of 1 byte, batch 9, input leading dimension 7 on cuda:1");
}

TEST(DensePair, ChecksShapesAndStrides) {
  EXPECT_NO_THROW(check_dense_pair(3, 5, 5, 3, true));
  EXPECT_THROW(check_dense_pair(3, 5, 3, 5, true), Error);
  EXPECT_THROW(check_dense_pair(3, 5, 5, 3, false), Error);
}

}  // namespace
}  // namespace xpose
