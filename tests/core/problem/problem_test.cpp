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
  const auto words = [](std::int64_t run) {
    try {
      permute({10, 20, run}, {1, 0, 2}, 4);
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::invalid);
      return std::string(e.what());
    }
    return std::string();
  };
  const std::string rule =
      " elements of 4 bytes, which are moved as one: elements are of 1, 2, 4, 8 or 16 bytes, or of "
      "a multiple of 16 up to 256; ";
  const std::string kept = "the permutation keeps the innermost axis, ";
  EXPECT_EQ(words(3), kept + "3" + rule + "pad them to 16");
  EXPECT_EQ(words(5), kept + "5" + rule + "pad them to 32");
  EXPECT_EQ(words(63), kept + "63" + rule + "pad them to 256");
  EXPECT_EQ(words(65),
            kept + "65" + rule + "copy longer ones a column at a time, as cudaMemcpy2D does");
  EXPECT_EQ(words(std::int64_t{1} << 40).substr(0, kept.size()), kept);
}

TEST(Permutation, KeptInnermostAxisMakesFatElements) {
  // Heads before positions, as attention has them: 64 halves stay together.
  const Problem problem = permute({8, 100, 12, 64}, {0, 2, 1, 3}, 2);
  EXPECT_EQ(problem.element_bytes, 128U);
  EXPECT_EQ(problem.rows, 100);
  EXPECT_EQ(problem.cols, 12);
  EXPECT_EQ(problem.in_ld, 12);
  EXPECT_EQ(problem.out_ld, 100);
  ASSERT_EQ(problem.batch.size(), 1U);
  EXPECT_EQ(problem.batch[0], (BatchDim{8, 1200, 1200}));
  EXPECT_EQ(permute({10, 20, 12}, {1, 0, 2}, 4).element_bytes, 48U);
  EXPECT_EQ(permute({10, 20, 64}, {1, 0, 2}, 4).element_bytes, 256U);
}

TEST(ElementSize, IsAPowerOfTwoUpTo16OrAMultipleOf16UpTo256) {
  std::vector<std::uint64_t> served;
  for (std::uint64_t bytes = 0; bytes <= 600; ++bytes)
    if (element_size_refusal(bytes).empty()) served.push_back(bytes);
  EXPECT_EQ(served, (std::vector<std::uint64_t>{1,   2,   4,   8,   16,  32,  48,  64,  80,  96,
                                                112, 128, 144, 160, 176, 192, 208, 224, 240, 256}));
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
