#include "tuning/stand_in.hpp"

#include <gtest/gtest.h>

#include <random>
#include <type_traits>

#include "problem/alignment.hpp"
#include "problem/normal_form.hpp"
#include "trial/arena.hpp"

namespace xpose {
namespace {

constexpr std::uint64_t kMebibyte = 1 << 20;

Problem aligned(std::int64_t rows, std::int64_t cols, std::uint32_t bytes) {
  Problem problem = matrix(rows, cols, bytes);
  problem.in_alignment = problem.out_alignment = 256;
  return problem;
}

Problem padded(std::int64_t extent, std::uint32_t bytes, std::int64_t elements) {
  Problem problem = aligned(extent, extent, bytes);
  problem.in_ld = problem.out_ld = extent + elements;
  return problem;
}

Problem batched(std::int64_t count, std::int64_t rows, std::int64_t cols, std::uint32_t bytes) {
  Problem problem = aligned(rows, cols, bytes);
  problem.batch = {{count, rows * cols, rows * cols}};
  return problem;
}

// The stand-in for `bytes` of buffers; the test fails where there is none.
Problem shorter(const Problem& problem, std::uint64_t bytes = 192 * kMebibyte) {
  const Problem normal = normal_form(problem);
  const auto found = stand_in(normal, bytes);
  EXPECT_TRUE(found) << to_string(normal);
  if (!found) return normal;
  EXPECT_LE(Arena::footprint(*found, 1), bytes) << to_string(*found);
  EXPECT_EQ(normal_form(*found), *found) << to_string(*found);
  EXPECT_EQ(found->element_bytes, normal.element_bytes);
  EXPECT_EQ(found->batch.size(), normal.batch.size());
  EXPECT_EQ(found->in_alignment, normal.in_alignment) << to_string(*found);
  EXPECT_EQ(found->out_alignment, normal.out_alignment) << to_string(*found);
  EXPECT_EQ(row_alignment(*found), row_alignment(normal)) << to_string(*found);
  EXPECT_EQ(found->in_place, normal.in_place);
  EXPECT_EQ(found->device, normal.device);
  return *found;
}

TEST(StandIn, AProblemThatFitsStandsInForItself) {
  const Problem normal = normal_form(padded(1000, 4, 8));
  EXPECT_EQ(stand_in(normal, Arena::footprint(normal, 1)), normal);
}

TEST(StandIn, EveryRowBeginsAtTheSameOffsetInAPage) {
  const Problem odd = shorter(aligned(20000, 20001, 4));
  EXPECT_EQ(odd.rows % 1024, 20000 % 1024);
  EXPECT_EQ(odd.cols % 1024, 20001 % 1024);
  EXPECT_EQ(odd.in_ld, odd.cols);
  EXPECT_EQ(odd.out_ld, odd.rows);
  EXPECT_GT(odd.rows, 4000);
  EXPECT_EQ(shorter(aligned(70001, 70001, 1)).cols % 4096, 70001 % 4096);
  EXPECT_EQ(shorter(aligned(5001, 7001, 48)).cols % 256, 7001 % 256);
}

TEST(StandIn, BuffersBeginWhereTheCallersDo) {
  const Problem odd = shorter(aligned(70001, 70001, 1));
  EXPECT_EQ(odd.in_alignment, 256U);
  EXPECT_EQ(odd.out_alignment, 256U);
}

TEST(StandIn, APowerOfTwoStaysOne) {
  EXPECT_EQ(shorter(aligned(65536, 65536, 1)).cols, 8192);
  EXPECT_EQ(shorter(aligned(65536, 65536, 1), 1000 * kMebibyte).cols, 16384);
  EXPECT_EQ(shorter(aligned(16384, 16384, 8)).cols, 2048);
  EXPECT_EQ(shorter(aligned(49152, 49152, 4)).cols, 4096);
}

TEST(StandIn, ASquareStaysSquare) {
  for (const std::int64_t extent : {65536, 20001, 54321})
    for (const std::uint32_t bytes : {1, 4, 16}) {
      const Problem square = shorter(aligned(extent, extent, bytes));
      EXPECT_EQ(square.rows, square.cols);
    }
}

TEST(StandIn, AShortSideStaysAsItIs) {
  EXPECT_EQ(shorter(aligned(100'000'000, 16, 4)).cols, 16);
  EXPECT_EQ(shorter(aligned(3, 1'000'000'000, 1)).rows, 3);
  EXPECT_EQ(shorter(aligned(1'000'000, 1500, 4)).cols, 1500);
  EXPECT_GT(shorter(aligned(100'000'000, 16, 4)).rows, 1'000'000);
}

TEST(StandIn, LeadingDimensionsAreAsMuchLonger) {
  const Problem one = shorter(padded(32768, 4, 1));
  EXPECT_EQ(one.in_ld, one.cols + 1);
  EXPECT_EQ(one.out_ld, one.rows + 1);
  EXPECT_EQ(one.cols, 4096);
  const Problem line = shorter(padded(40000, 2, 32));
  EXPECT_EQ(line.in_ld, line.cols + 32);
}

TEST(StandIn, ALeadingDimensionOfAPowerOfTwoBehindAGapStaysOne) {
  Problem slice = aligned(20000, 20000, 4);
  slice.in_ld = slice.out_ld = 32768;
  const Problem found = shorter(slice);
  EXPECT_EQ(found.in_ld, found.out_ld);
  EXPECT_TRUE(found.in_ld == 4096 || found.in_ld == 8192) << found.in_ld;
  EXPECT_GT(found.in_ld, found.cols);
}

TEST(StandIn, OfALongSliceTheGapIsAtMostAPageMore) {
  Problem slice = aligned(50000, 3000, 4);
  slice.in_ld = 100'001;
  const Problem found = shorter(slice);
  EXPECT_EQ(found.in_ld % 1024, 100'001 % 1024);
}

TEST(StandIn, BatchesBecomeShorterFirst) {
  const Problem images = shorter(batched(256, 64, 31360, 4));
  EXPECT_EQ(images.rows, 64);
  EXPECT_EQ(images.cols, 31360);
  EXPECT_LT(images.batch.at(0).extent, 256);
  EXPECT_GE(images.batch.at(0).extent, 4);
  const Problem small = shorter(batched(100'000'000, 5, 5, 4));
  EXPECT_EQ(small.rows, 5);
  EXPECT_GT(small.batch.at(0).extent, 500'000);
  const Problem large = shorter(batched(6, 20000, 20000, 4));
  EXPECT_EQ(large.batch.at(0).extent, 4);
  EXPECT_EQ(large.rows, large.cols);
  EXPECT_EQ(large.batch.at(0).in_stride, large.rows * large.cols);
}

TEST(StandIn, InPlaceStaysInPlace) {
  Problem problem = padded(32768, 4, 16);
  problem.in_place = true;
  const Problem found = shorter(problem);
  EXPECT_EQ(found.in_ld, found.out_ld);
  EXPECT_EQ(found.in_ld, found.cols + 16);
}

TEST(StandIn, APermutationStaysOne) {
  const std::vector<std::int64_t> shape = {40, 33, 50, 45, 36, 4};
  const std::vector<int> axes = {5, 3, 1, 4, 2, 0};
  shorter(permutation(shape, axes, 4));
}

TEST(StandIn, NothingStandsInWhereNoneIsSmallEnough) {
  EXPECT_EQ(stand_in(normal_form(aligned(65536, 65536, 1)), kMebibyte), std::nullopt);
  EXPECT_EQ(stand_in(normal_form(aligned(65536, 65536, 1)), 0), std::nullopt);
}

// Repeated and overlapping matrices of an input stay where they were.
TEST(StandIn, AnInputThatOverlapsStandsInToo) {
  Problem repeated = batched(1000, 2000, 2001, 4);
  repeated.batch[0].in_stride = 0;
  shorter(repeated);
  Problem overlapping = batched(1000, 2000, 2001, 4);
  overlapping.batch[0].in_stride = 7;
  shorter(overlapping);
}

TEST(StandIn, AnyProblemKeepsItsClass) {
  std::mt19937 random(18);
  const auto upto = [&](std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(1, most)(random);
  };
  constexpr std::uint32_t kSizes[] = {1, 2, 4, 8, 16, 48, 256};
  for (int i = 0; i < 500; ++i) {
    Problem problem = aligned(upto(1 << upto(16)), upto(1 << upto(16)),
                              kSizes[static_cast<std::size_t>(upto(7) - 1)]);
    problem.in_alignment = 1U << (upto(9) - 1);
    problem.in_ld = problem.cols + (upto(2) == 1 ? 0 : upto(5000));
    problem.out_ld = problem.rows + (upto(2) == 1 ? 0 : upto(5000));
    if (upto(2) == 1)
      problem.batch = {{upto(1000), problem.rows * problem.in_ld + upto(9) - 1,
                        problem.cols * problem.out_ld + upto(9) - 1}};
    const Problem normal = normal_form(problem);
    const std::uint64_t whole = Arena::footprint(normal, 1);
    const auto found = stand_in(normal, std::max(whole / 10, 700 * kMebibyte));
    ASSERT_TRUE(found) << to_string(normal);
    SCOPED_TRACE(to_string(normal) + " by " + to_string(*found));
    shorter(problem, std::max(whole / 10, 700 * kMebibyte));
    EXPECT_EQ(found->in_ld * normal.element_bytes % 256, normal.in_ld * normal.element_bytes % 256);
    EXPECT_EQ(found->out_ld * normal.element_bytes % 256,
              normal.out_ld * normal.element_bytes % 256);
    // The same set of problems is served: nothing is folded away.
    EXPECT_EQ(found->rows == 1, normal.rows == 1);
    EXPECT_EQ(found->cols == 1, normal.cols == 1);
  }
}

// The stand-in for 192 MiB or `bytes` with one field of the policy changed; it must exist.
template <class Value>
Problem shorter_with(Value RacePolicy::*field, std::type_identity_t<Value> value,
                     const Problem& problem, std::uint64_t bytes = 192 * kMebibyte) {
  RacePolicy policy;
  policy.*field = value;
  return stand_in(normal_form(problem), bytes, policy).value();
}

TEST(StandInPolicy, LeastBatchesStay) {
  const Problem large = batched(6, 20000, 20000, 4);
  EXPECT_EQ(shorter_with(&RacePolicy::least_batches, 2, large).batch.at(0).extent, 2);
}

TEST(StandInPolicy, StepsFindTheLargestSize) {
  const Problem images = batched(256, 64, 31360, 4);
  EXPECT_EQ(shorter_with(&RacePolicy::batch_step, 0.75, images).batch.at(0).extent, 9);
  EXPECT_EQ(shorter_with(&RacePolicy::batch_step, 0.5, images).batch.at(0).extent, 8);
  const Problem odd = aligned(20000, 20001, 4);
  EXPECT_LT(shorter_with(&RacePolicy::side_step, 0.3, odd).rows, shorter(odd).rows);
}

TEST(StandInPolicy, ASideKeepsItsLeastBytesAndElements) {
  const Problem odd = aligned(20000, 20001, 4);
  EXPECT_FALSE(stand_in(normal_form(odd), 4 * kMebibyte));
  EXPECT_EQ(shorter_with(&RacePolicy::least_side_bytes, 4096, odd, 4 * kMebibyte).rows, 544);
  const Problem fat = aligned(5000, 5000, 256);
  EXPECT_FALSE(stand_in(normal_form(fat), kMebibyte));
  EXPECT_EQ(shorter_with(&RacePolicy::least_side_elements, 16, fat, kMebibyte).rows, 40);
}

TEST(StandInPolicy, AStrideKeepsThePowerOfTwoThatMatters) {
  const Problem power = aligned(65536, 65536, 1);
  EXPECT_EQ(shorter(power, 400 * kMebibyte).cols, 8192);
  EXPECT_EQ(shorter_with(&RacePolicy::widest_stride_bytes, 4096, power, 400 * kMebibyte).cols,
            12288);
}

}  // namespace
}  // namespace xpose
