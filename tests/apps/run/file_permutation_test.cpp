// The permutation of a file's array as its bytes see it: as few axes as there can be.
#include "run/file_permutation.hpp"

#include <gtest/gtest.h>

#include "axes/axis_order.hpp"
#include "xpose/xpose.hpp"

namespace xpose::app {
namespace {

using Shape = std::vector<std::int64_t>;
using Axes = std::vector<int>;

DenseArray of_file(const Shape& shape, const AxisOrder& order, bool fortran_order,
                   std::uint64_t item_bytes = 4) {
  NpyHeader header{"'|V'", fortran_order, shape, item_bytes, 80, 1};
  return file_permutation(header, permuted(order, shape), 128).array;
}

AxisOrder by_axes(const Axes& axes) { return {.axes = axes}; }

TEST(FilePermutation, AFortranOrderIsTheReversedShape) {
  EXPECT_EQ(of_file({2, 3, 5}, by_axes({0, 2, 1}), false), (DenseArray{{2, 3, 5}, {0, 2, 1}, 4}));
  EXPECT_EQ(of_file({2, 3, 5}, by_axes({2, 0, 1}), true), (DenseArray{{5, 3, 2}, {0, 2, 1}, 4}));
  EXPECT_EQ(of_file({2, 3, 5}, {}, true), (DenseArray{{30}, {0}, 4}));
  EXPECT_EQ(of_file({300, 200}, {}, false), (DenseArray{{300, 200}, {1, 0}, 4}));
}

TEST(FilePermutation, PartsOfAnAxisStayInTheirOrderInAFortranOrder) {
  AxisOrder order{.pattern = parse_axis_pattern("a (b c) -> a c b")};
  order.pattern->sizes = parse_axis_sizes("c=5");
  EXPECT_EQ(of_file({2, 15}, order, false), (DenseArray{{2, 3, 5}, {0, 2, 1}, 4}));
  EXPECT_EQ(of_file({2, 15}, order, true), (DenseArray{{3, 5, 2}, {2, 1, 0}, 4}));
}

TEST(FilePermutation, AxesThatStayTogetherAreOne) {
  EXPECT_EQ(of_file({2, 3, 5, 7}, by_axes({2, 3, 0, 1}), false), (DenseArray{{6, 35}, {1, 0}, 4}));
  EXPECT_EQ(of_file({2, 1, 3, 1, 5}, by_axes({3, 4, 1, 0, 2}), false),
            (DenseArray{{6, 5}, {1, 0}, 4}));
  EXPECT_EQ(of_file({1, 1}, {}, false), (DenseArray{{}, {}, 4}));
  EXPECT_EQ(of_file({}, {}, false), (DenseArray{{}, {}, 4}));
}

TEST(FilePermutation, AnAxisThatStaysInnermostIsPartOfTheElement) {
  EXPECT_EQ(of_file({16, 32, 64}, by_axes({1, 0, 2}), false, 2),
            (DenseArray{{16, 32}, {1, 0}, 128}));
  EXPECT_EQ(of_file({16, 32, 64}, by_axes({0, 1, 2}), false, 2), (DenseArray{{32768}, {0}, 2}));
  EXPECT_EQ(of_file({16, 32, 6400}, by_axes({1, 0, 2}), false, 2),
            (DenseArray{{16, 32, 6400}, {1, 0, 2}, 2}));
}

TEST(FilePermutation, ItemsOfOtherSizesAreRunsOfSmallerElements) {
  if (element_size_refusal(272).empty()) GTEST_SKIP() << "the library serves all sizes";
  EXPECT_EQ(of_file({4, 5}, {}, false, 1000), (DenseArray{{4, 5, 125}, {1, 0, 2}, 8}));
  EXPECT_EQ(of_file({4, 5}, {}, true, 1000), (DenseArray{{2500}, {0}, 8}));
}

TEST(FilePermutation, AMatrixInDisguiseIsOne) {
  const NpyHeader header{"'<f4'", false, {2, 3, 5, 7}, 4, 80, 840};
  const auto file = [&](const Axes& axes) {
    return as_matrix(file_permutation(header, permuted(by_axes(axes), header.shape), 192));
  };
  const auto matrix = file({2, 3, 0, 1});
  ASSERT_TRUE(matrix);
  EXPECT_EQ((std::vector{matrix->rows, matrix->cols}), (Shape{6, 35}));
  EXPECT_EQ((std::vector{matrix->item_bytes, matrix->in_offset, matrix->out_offset}),
            (std::vector<std::uint64_t>{4, 80, 192}));
  EXPECT_FALSE(file({3, 2, 1, 0}));
  ASSERT_TRUE(file({0, 1, 2, 3}));
  EXPECT_EQ(file({0, 1, 2, 3})->rows, 1);
  EXPECT_EQ(file({0, 1, 2, 3})->cols, 210);
}

}  // namespace
}  // namespace xpose::app
