// Problems that have no normal form: malformed, overlapping, too large.
#include <limits>

#include "normal_form_fixture.hpp"

namespace xpose {
namespace {

TEST(NormalFormRefusals, AreForWhatIsMalformed) {
  expect_refused(matrix(-1, 5, 4), "rows and cols must be 0 or more, not -1 and 5");
  Problem batch = matrix(3, 5, 4);
  batch.batch = {{-2, 15, 15}};
  expect_refused(batch, "a batch extent must be 0 or more, not -2");
  expect_refused(matrix(3, 5, 0), "elements have 1 to 256 bytes");
  expect_refused(matrix(3, 5, 257), "1 to 256 bytes; state longer ones as one more axis");
  Problem pixels = matrix(5, 5, 3);
  pixels.in_place = true;
  expect_refused(pixels, "in place, elements have 1, 2, 4, 8 or 16 bytes");
  expect_refused(strided(3, 5, 4, 0), "leading dimension 4 is shorter");
  expect_refused(strided(3, 5, 0, 2), "leading dimension 2 is shorter");
  Problem alignment = matrix(3, 5, 4);
  alignment.in_alignment = 3;
  expect_refused(alignment, "alignments must be powers of two, not ");
}

TEST(NormalFormRefusals, AreForOutputThatOverlaps) {
  Problem problem = matrix(3, 5, 4);
  problem.batch = {{2, 15, 14}};
  expect_refused(problem, "overlap");
  problem.batch = {{2, 15, 0}};
  expect_refused(problem, "overlap");
  problem.batch = {{2, 0, 15}};  // a broadcast input is fine
  EXPECT_NO_THROW(normal_form(problem));
}

TEST(NormalFormRefusals, AreForSizesThatOverflow) {
  const std::int64_t huge = std::int64_t{1} << 62;
  expect_refused(matrix(huge, 1, 4), "2^56 bytes");
  expect_refused(matrix(std::int64_t{1} << 32, std::int64_t{1} << 32, 1), "2^56 bytes");
  Problem batch = matrix(3, 5, 4);
  batch.batch = {{std::numeric_limits<std::int64_t>::max(), 15, 15}};
  expect_refused(batch, "2^56 bytes");
  batch.batch = {{2, std::numeric_limits<std::int64_t>::max(), 15}};
  expect_refused(batch, "2^56 bytes");
}

// Under the undefined-behaviour sanitizer: a stride past the last row does not overflow.
TEST(NormalFormRefusals, SizesNearTheMostOverflowNowhere) {
  constexpr std::int64_t kMost = std::int64_t{1} << 56;
  for (const std::int64_t bytes : {1, 2, 4, 8, 16, 256}) {
    const auto size = static_cast<std::uint32_t>(bytes);
    EXPECT_EQ(normal_form(matrix(kMost / bytes, 1, size)).rows, kMost / bytes);
    EXPECT_EQ(normal_form(matrix(1, kMost / bytes, size)).cols, kMost / bytes);
    expect_refused(matrix(kMost / bytes + 1, 1, size), "2^56 bytes");
    Problem apart = matrix(2, 2, size);
    apart.in_ld = apart.out_ld = kMost / bytes - 2;
    apart.batch = {{1, std::numeric_limits<std::int64_t>::max(), 1}};
    EXPECT_EQ(normal_form(apart).in_ld, kMost / bytes - 2);
    apart.batch = {{2, 2, std::numeric_limits<std::int64_t>::max()}};
    expect_refused(apart, "2^56 bytes");
  }
}

// Without a stride of 1 there are no matrices, but elements that change places all the same.
TEST(NormalFormRefusals, AreForSquaresOfLooseElementsInPlace) {
  const auto in_place = [](std::vector<std::int64_t> shape, std::vector<int> axes,
                           std::vector<std::int64_t> strides) {
    Problem problem = permutation(shape, axes, strides, strides, 4);
    problem.in_place = true;
    return problem;
  };
  for (const Problem& problem :
       {in_place({3, 3}, {1, 0}, {12, 2}), in_place({3, 3}, {1, 0}, {3, -1}),
        in_place({2, 2, 2}, {1, 2, 0}, {16, 8, 2})})
    expect_refused(problem, "in place, input and output share one batch stride");
  EXPECT_TRUE(is_empty(normal_form(in_place({3, 3}, {0, 1}, {12, 2}))));  // all stay
  EXPECT_TRUE(is_empty(normal_form(in_place({3, 3}, {0, 1}, {3, -1}))));
}

TEST(NormalFormRefusals, AreForStridesBackwardsInPlace) {
  Problem problem = strided(5, 5, -8, -8);
  problem.in_place = true;
  expect_refused(problem, "in place, strides must be positive");
}

TEST(NormalFormRefusals, AreForTheLeastNumberAsAStride) {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  for (const BatchDim& dim : {BatchDim{2, kLeast, 15}, {2, 15, kLeast}, {2, kLeast, kLeast}}) {
    Problem problem = matrix(3, 5, 4);
    problem.batch = {dim};
    expect_refused(problem, "2^56 bytes");
  }
}

}  // namespace
}  // namespace xpose
