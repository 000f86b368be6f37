#include "problem/alignment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "normal_form_fixture.hpp"

namespace xpose {
namespace {

Problem based(Problem problem, std::uint32_t in, std::uint32_t out) {
  problem.in_alignment = in;
  problem.out_alignment = out;
  return normal_form(problem);
}

TEST(AlignmentTest, RowsKeepWhatDividesEveryStride) {
  const Problem problem = strided(3, 5, 8, 6);
  EXPECT_EQ(row_alignment(based(problem, 256, 256)), (Alignment{32, 8}));
  EXPECT_EQ(row_alignment(based(problem, 4, 1)), (Alignment{4, 1}));
  Problem batched = problem;
  batched.batch = {{2, 100, 201}};
  EXPECT_EQ(row_alignment(based(batched, 256, 256)), (Alignment{16, 4}));
}

TEST(AlignmentTest, OneRowIsAlignedAsItsFirstElement) {
  EXPECT_EQ(row_alignment(based(matrix(1, 5, 4), 64, 64)), (Alignment{64, 4}));
  EXPECT_EQ(row_alignment(based(matrix(5, 1, 4), 64, 64)), (Alignment{4, 64}));
}

TEST(AlignmentTest, FatElementsKeepTheAlignmentOfTheirRows) {
  const Problem problem = matrix(8, 5, 48);  // rows of 15 * 16 and of 3 * 128 bytes
  EXPECT_EQ(row_alignment(based(problem, 256, 256)), (Alignment{16, 128}));
  EXPECT_EQ(row_alignment(based(problem, 4, 256)), (Alignment{4, 128}));
}

// Columns from the last to the first, or runs of 12 elements so.
Problem backwards(std::uint32_t bytes, Device device, std::int64_t run = 1) {
  const std::vector<std::int64_t> shape = {8, 5, run}, in = {5 * run, -run, 1},
                                  out = {8 * run, run, 1};
  const std::vector<int> axes = {1, 0, 2};
  return permutation(shape, axes, in, out, bytes, device);
}

// A GPU moves words that divide their address; the host moves any.
TEST(AlignmentTest, ElementsOfAGpuAreAsSmallAsTheirAddressAsks) {
  const Device gpu = {DeviceKind::cuda, 0};
  EXPECT_EQ(based(backwards(4, gpu), 4, 256).element_bytes, 4U);
  EXPECT_EQ(based(backwards(4, gpu), 256, 2).element_bytes, 2U);
  EXPECT_EQ(based(backwards(16, gpu), 8, 8).element_bytes, 8U);
  EXPECT_EQ(based(backwards(48, gpu), 4, 16).element_bytes, 4U);
  EXPECT_EQ(based(backwards(4, {}), 1, 1).element_bytes, 4U);
  EXPECT_EQ(based(matrix(8, 5, 4, gpu), 1, 1).element_bytes, 1U);
  EXPECT_EQ(based(matrix(8, 5, 16, gpu), 8, 256).element_bytes, 8U);
  EXPECT_EQ(based(matrix(8, 5, 48, gpu), 4, 4).element_bytes, 48U);  // fat, moved from any address
}

TEST(AlignmentTest, BackwardRunsOfAGpuAreNotWidenedBeyondTheirAddress) {
  const Device gpu = {DeviceKind::cuda, 0};
  EXPECT_EQ(based(backwards(4, gpu, 12), 16, 16).element_bytes, 48U);
  const Problem run = based(backwards(4, gpu, 12), 4, 16);
  EXPECT_EQ(run.element_bytes, 4U);
  EXPECT_EQ(run.cols, 12);
}

TEST(AlignmentTest, InPlaceElementsStayWhole) {
  Problem square = matrix(8, 8, 4, {DeviceKind::cuda, 0});
  square.in_place = true;
  EXPECT_EQ(based(square, 2, 2).element_bytes, 4U);
}

TEST(AlignmentTest, ABufferAlignedAsItsRowsHasTheSameRows) {
  const Problem odd = based(strided(3, 5, 8, 6), 256, 256);
  const Problem lowered = aligned_as_rows(odd);
  EXPECT_EQ(lowered.in_alignment, 32U);
  EXPECT_EQ(lowered.out_alignment, 8U);
  EXPECT_EQ(row_alignment(lowered), row_alignment(odd));
}

using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

// The key alignments of what is alike.
Pairs alike(const Problem& normal) {
  Pairs all;
  for (const Problem& other : alike_in_alignment(normal)) {
    EXPECT_EQ(normal_form(other), other);
    const Alignment kept = key_alignment(other);
    all.emplace_back(kept.in, kept.out);
  }
  return all;
}

TEST(AlignmentTest, AlikeIsTheSameProblemFromSixteenBytesOn) {
  const Problem problem = matrix(64, 12, 4);  // rows of 48 and of 256 bytes
  EXPECT_EQ(alike(based(problem, 64, 64)),
            (Pairs{{16, 64}, {16, 32}, {16, 16}, {16, 128}, {16, 256}}));
  EXPECT_EQ(alike(based(problem, 16, 16)),
            (Pairs{{16, 16}, {16, 32}, {16, 64}, {16, 128}, {16, 256}}));
  EXPECT_EQ(alike(based(problem, 8, 8)), (Pairs{{8, 8}}));
  EXPECT_EQ(alike(based(problem, 256, 8)), (Pairs{{16, 8}}));
}

TEST(AlignmentTest, AlikeIsWhateverRowsDoNotKeep) {
  const Problem floats = matrix(61, 45, 4);
  EXPECT_EQ(alike(based(floats, 256, 256)), (Pairs{{16, 16}, {4, 16}, {16, 4}, {4, 4}}));
  EXPECT_EQ(alike(based(floats, 8, 8)), (Pairs{{4, 4}, {4, 16}, {16, 4}, {16, 16}}));
  EXPECT_EQ(alike(based(floats, 2, 2)), (Pairs{{2, 2}}));  // elements that are not aligned
}

// Of all the same problem, each is found from each, and the problem itself first.
TEST(AlignmentTest, AlikeIsMutual) {
  for (const auto& problem : {matrix(64, 12, 4), matrix(61, 45, 4), matrix(64, 64, 8)}) {
    const std::vector<Problem> all = alike_in_alignment(based(problem, 32, 256));
    for (const Problem& one : all) {
      const std::vector<Problem> others = alike_in_alignment(one);
      EXPECT_EQ(others.front(), one);
      EXPECT_TRUE(std::ranges::is_permutation(others, all, {}, key, key)) << key(one);
    }
  }
}

TEST(AlignmentTest, AlikeInPlaceIsOneAddress) {
  Problem problem = matrix(64, 64, 4);
  problem.in_place = true;
  EXPECT_EQ(alike(based(problem, 64, 64)),
            (Pairs{{64, 64}, {32, 32}, {16, 16}, {128, 128}, {256, 256}}));
}

}  // namespace
}  // namespace xpose
