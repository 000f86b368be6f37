#include "problem/normal_form.hpp"

#include <utility>
#include <vector>

#include "normal_form_fixture.hpp"

namespace xpose {
namespace {

TEST(NormalForm, FillsDenseLeadingDimensions) {
  const Problem normal = normal_form(matrix(3, 5, 4));
  EXPECT_EQ(normal.in_ld, 5);
  EXPECT_EQ(normal.out_ld, 3);
  EXPECT_EQ(in_span(normal), 15);
  EXPECT_EQ(out_span(normal), 15);
}

TEST(NormalForm, EmptyInAnyWayIsOneForm) {
  Problem batch = matrix(3, 5, 4);
  batch.batch = {{0, 15, 15}};
  for (const Problem& problem : {matrix(0, 5, 4), matrix(3, 0, 4), batch}) {
    const Problem normal = normal_form(problem);
    EXPECT_TRUE(is_empty(normal));
    EXPECT_EQ(normal.cols, 0);
    EXPECT_TRUE(normal.batch.empty());
  }
}

TEST(NormalForm, SpansCountGaps) {
  const Problem normal = normal_form(strided(3, 5, 8, 6));
  EXPECT_EQ(in_span(normal), 2 * 8 + 5);
  EXPECT_EQ(out_span(normal), 4 * 6 + 3);
  EXPECT_EQ(element_count(normal), 15);
}

TEST(NormalForm, KeepsTheAlignmentOfTheFirstElements) {
  Problem problem = strided(3, 5, 8, 6);
  problem.in_alignment = 4;
  problem.out_alignment = 512;
  const Problem normal = normal_form(problem);
  EXPECT_EQ(normal.in_alignment, 4U);
  EXPECT_EQ(normal.out_alignment, 256U);  // as far as anyone counts
  EXPECT_EQ(normal_form(normal), normal);
}

TEST(NormalForm, AnAxisCountedFromItsOtherEndBeginsWhereItsAddressIs) {
  Problem problem = strided(3, 5, 8, -6);
  problem.in_alignment = problem.out_alignment = 256;
  EXPECT_EQ(normal_form(problem).in_alignment, 16U);   // 4 elements of 4 bytes further
  EXPECT_EQ(normal_form(problem).out_alignment, 32U);  // 4 rows of 6 elements before
}

TEST(NormalForm, OneRowHasNoLeadingDimension) {
  EXPECT_EQ(normal_form(strided(1, 5, 100, 0)).in_ld, 5);
  EXPECT_EQ(normal_form(strided(3, 1, 0, 100)).out_ld, 3);
}

TEST(NormalForm, BatchThatContinuesTheRowsIsFused) {
  Problem problem = strided(3, 5, 5, 12);
  problem.batch = {{4, 15, 3}};  // 4 bands of one 12 x 5 matrix
  const Problem normal = normal_form(problem);
  EXPECT_TRUE(normal.batch.empty());
  EXPECT_EQ(normal.rows, 12);
  EXPECT_EQ(normal.cols, 5);
  EXPECT_EQ(normal.in_ld, 5);
  EXPECT_EQ(normal.out_ld, 12);
}

TEST(NormalForm, BatchThatContinuesTheColumnsIsFused) {
  Problem problem = strided(3, 5, 20, 3);
  problem.batch = {{4, 5, 15}};
  const Problem normal = normal_form(problem);
  EXPECT_TRUE(normal.batch.empty());
  EXPECT_EQ(normal.cols, 20);
  EXPECT_EQ(normal.in_ld, 20);
}

TEST(NormalForm, BatchOfSingleRowsIsAMatrix) {
  Problem problem = matrix(1, 5, 4);
  problem.out_ld = 7;
  problem.batch = {{7, 5, 1}};
  const Problem normal = normal_form(problem);
  EXPECT_TRUE(normal.batch.empty());
  EXPECT_EQ(normal.rows, 7);
  EXPECT_EQ(normal.in_ld, 5);
  EXPECT_EQ(normal.out_ld, 7);
}

TEST(NormalForm, BatchDimensionsThatContinueEachOtherAreFused) {
  Problem problem = matrix(3, 5, 4);
  problem.batch = {{2, 60, 60}, {4, 15, 15}};
  const Problem normal = normal_form(problem);
  ASSERT_EQ(normal.batch.size(), 1U);
  EXPECT_EQ(normal.batch[0], (BatchDim{8, 15, 15}));
}

TEST(NormalForm, LargestBatchDimensionComesFirst) {
  Problem problem = matrix(3, 5, 4);
  problem.batch = {{2, 100, 400}, {4, 1000, 20}};
  const Problem normal = normal_form(problem);
  ASSERT_EQ(normal.batch.size(), 2U);
  EXPECT_EQ(normal.batch[0].extent, 4);
}

Problem permuted(std::vector<std::int64_t> shape, std::vector<int> axes, std::uint32_t bytes) {
  return normal_form(permutation(shape, axes, bytes));
}

TEST(NormalForm, ARunThatAStrategyTakesWholeIsAnElement) {
  // Heads before positions, as attention has them: 64 halves stay together.
  const Problem heads = permuted({8, 100, 12, 64}, {0, 2, 1, 3}, 2);
  EXPECT_EQ(heads.element_bytes, 128U);
  EXPECT_EQ(heads.rows, 100);
  EXPECT_EQ(heads.cols, 12);
  EXPECT_EQ(heads.batch, (std::vector<BatchDim>{{8, 1200, 1200}}));
  EXPECT_EQ(permuted({10, 20, 2}, {1, 0, 2}, 8).element_bytes, 16U);
  EXPECT_EQ(permuted({10, 20, 12}, {1, 0, 2}, 4).element_bytes, 48U);
  EXPECT_EQ(permuted({10, 20, 2}, {1, 0, 2}, 48).element_bytes, 96U);
  // A stride that is no whole number of runs: the run stays one.
  Problem gaps = permutation(std::vector<std::int64_t>{10, 20, 12}, std::vector<int>{1, 0, 2}, 4);
  for (BatchDim& dim : gaps.batch)
    if (dim.in_stride == 240) dim.in_stride = 244;
  EXPECT_EQ(normal_form(gaps).element_bytes, 16U);
  EXPECT_EQ(normal_form(gaps).cols, 3);
}

TEST(NormalForm, AnyOtherRunIsTheColumnsOfOneRowInTheWidestElements) {
  const auto expect_run = [](const Problem& problem, std::uint32_t bytes, std::int64_t length) {
    EXPECT_EQ(problem.element_bytes, bytes);
    EXPECT_EQ(problem.rows, 1);
    EXPECT_EQ(problem.cols, length);
    EXPECT_EQ(problem.out_ld, 1);
    EXPECT_EQ(problem.batch.size(), 2U);
  };
  expect_run(permuted({10, 20, 3}, {1, 0, 2}, 4), 4, 3);  // points
  expect_run(permuted({10, 20, 6}, {1, 0, 2}, 4), 8, 3);
  expect_run(permuted({10, 20, 100}, {1, 0, 2}, 4), 16, 25);  // longer than an element may be
  for (const auto& [bytes, part] : std::vector<std::pair<std::uint32_t, std::uint32_t>>{
           {3, 1}, {6, 2}, {12, 4}, {24, 8}, {72, 8}, {255, 1}})
    expect_run(permuted({10, 20}, {1, 0}, bytes), part, bytes / part);
  Problem misaligned =
      permutation(std::vector<std::int64_t>{10, 20, 100}, std::vector<int>{1, 0, 2}, 4);
  misaligned.in_alignment = 8;
  expect_run(normal_form(misaligned), 8, 50);
}

TEST(NormalForm, AnAxisThatTheOutputCountsBackwardsIsCountedFromItsOtherEnd) {
  Problem problem = strided(3, 5, 8, -6);
  const Problem normal = normal_form(problem);
  EXPECT_EQ(normal.rows, 3);
  EXPECT_EQ(normal.cols, 1);
  EXPECT_EQ(normal.batch, (std::vector<BatchDim>{{5, -1, 6}}));
  EXPECT_EQ(in_low(normal), -4);
  EXPECT_EQ(layered(problem).origin.in, 4 * 4);
  EXPECT_EQ(layered(problem).origin.out, -4 * 6 * 4);
  problem.batch = {{2, 100, -100}};
  EXPECT_EQ(layered(problem).origin.in, (4 + 100) * 4);
  EXPECT_EQ(layered(problem).origin.out, -(4 * 6 + 100) * 4);
  EXPECT_FALSE(is_of_matrices(normal, 1));
  EXPECT_TRUE(is_of_matrices(normal, 0));  // a column of it is
}

TEST(NormalForm, BothSidesBackwardsIsForwards) {
  Problem backwards = matrix(1, 1, 4);
  backwards.batch = {{7, -1, -9}, {9, -7, -1}};
  Problem forwards = matrix(9, 7, 4);
  forwards.in_alignment = forwards.out_alignment = 4;
  EXPECT_EQ(key(normal_form(backwards)), key(normal_form(forwards)));
}

TEST(NormalForm, TakesAsManyAxesAsThereAre) {
  std::vector<std::int64_t> shape(28, 2);
  std::vector<int> axes(28);
  for (int i = 0; i < 28; ++i) axes[static_cast<std::size_t>(i)] = i * 11 % 28;
  const Problem qubits = permuted(shape, axes, 8);
  EXPECT_EQ(qubits.batch.size(), 26U);
  EXPECT_EQ(element_count(qubits), std::int64_t{1} << 28);
  EXPECT_EQ(normal_form(qubits), qubits);
}

TEST(NormalForm, InPlaceNeedsOneSquareLayout) {
  Problem problem = matrix(3, 5, 4);
  problem.in_place = true;
  expect_refused(problem, "only a square matrix is transposed in place");
  problem = square_in_place(5, 8);
  EXPECT_EQ(normal_form(problem).in_ld, 8);
  problem.out_ld = 9;
  expect_refused(problem,
                 "in place, input and output share one leading dimension, but these are 8 and 9");
  problem = square_in_place(5, 5);
  problem.batch = {{3, 25, 30}};
  expect_refused(problem,
                 "share one batch stride, but these are 25 and 30; transpose squares without");
  problem.batch = {{1, 25, 30}};
  EXPECT_TRUE(normal_form(problem).batch.empty());
}

TEST(NormalForm, InPlaceBothAlignmentsAreOneAddress) {
  Problem problem = square_in_place(64, 64);
  problem.in_alignment = 4;
  problem.out_alignment = 128;
  EXPECT_EQ(normal_form(problem).in_alignment, 128U);
  EXPECT_EQ(normal_form(problem).out_alignment, 128U);
}

TEST(NormalForm, InPlaceBatchesStaySquare) {
  // One column of matrices, one row of them, and a dense pile: the last alone is fused.
  for (const std::int64_t stride : {std::int64_t{7} * 40, std::int64_t{7}}) {
    Problem problem = square_in_place(7, 40);
    problem.batch = {{5, stride, stride}};
    const Problem normal = normal_form(problem);
    EXPECT_EQ(normal.rows, 7);
    EXPECT_EQ(normal.cols, 7);
    EXPECT_EQ(normal.batch, problem.batch);
  }
  Problem pile = square_in_place(7, 7);
  pile.batch = {{2, 150, 150}, {3, 50, 50}};
  const Problem normal = normal_form(pile);
  EXPECT_EQ(normal.rows, 7);
  EXPECT_EQ(normal.batch, (std::vector<BatchDim>{{6, 50, 50}}));
}

TEST(NormalForm, InPlaceOneElementStaysAsItIs) {
  Problem problem = square_in_place(1, 1);
  problem.batch = {{1000, 3, 3}};
  EXPECT_TRUE(is_empty(normal_form(problem)));
}

TEST(NormalForm, CopyOfTheSameBytesIsDense) {
  Problem problem = strided(3, 5, 8, 6);
  problem.batch = {{2, 100, 100}};
  const Problem copy = copy_of_same_bytes(normal_form(problem));
  EXPECT_EQ(copy.rows, 6);
  EXPECT_EQ(copy.cols, 5);
  EXPECT_EQ(copy.in_ld, 5);
  EXPECT_EQ(copy.out_ld, 5);
  EXPECT_TRUE(copy.batch.empty());
}

TEST(NormalForm, CopyOfFatElementsIsOfTheirParts) {
  const Problem copy = copy_of_same_bytes(normal_form(matrix(3, 5, 48)));
  EXPECT_EQ(copy.element_bytes, 16U);
  EXPECT_EQ(copy.rows, 3);
  EXPECT_EQ(copy.cols, 15);
  EXPECT_EQ(copy.in_ld, 15);
  EXPECT_EQ(copy.out_ld, 15);
}

TEST(NormalForm, FatElementsThatSpanTooMuchAreRefused) {
  Problem problem = matrix(8, 5, 48);
  problem.batch = {{2, 40, std::int64_t{1} << 60}};
  expect_refused(problem, "2^56 bytes");
}

TEST(NormalForm, AbiFormCarriesEveryField) {
  Problem problem = strided(3, 5, 8, 6);
  problem.batch = {{2, 100, 200}, {7, 1000, 2000}};
  DeviceInfo device;
  device.compute_capability = 90;
  device.multiprocessors = 132;
  device.cache_bytes = 60;
  const xpose_problem abi = to_abi(normal_form(problem), 1, device);
  EXPECT_EQ(abi.size, sizeof abi);
  EXPECT_EQ(abi.rows, 3);
  EXPECT_EQ(abi.cols, 5);
  EXPECT_EQ(abi.in_ld, 8);
  EXPECT_EQ(abi.out_ld, 6);
  EXPECT_EQ(abi.batch_rank, 1U);
  EXPECT_EQ(abi.batch[0].extent, 7);
  EXPECT_EQ(abi.batch[1].extent, 0);
  EXPECT_EQ(abi.compute_capability, 90U);
  EXPECT_EQ(abi.device_kind, XPOSE_HOST);
}

// Also of the batch dimensions that it takes no part in: the host begins it at each of them.
TEST(NormalForm, AbiFormSaysHowRowsAreAligned) {
  Problem problem = strided(3, 5, 8, 6);
  problem.in_alignment = problem.out_alignment = 256;
  problem.batch = {{7, 1000, 2001}};
  const xpose_problem abi = to_abi(normal_form(problem), 0, DeviceInfo{});
  EXPECT_EQ(abi.in_alignment, 32U);
  EXPECT_EQ(abi.out_alignment, 4U);
}

}  // namespace
}  // namespace xpose
