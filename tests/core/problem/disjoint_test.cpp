#include "problem/disjoint.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "problem/normal_form.hpp"

namespace xpose {
namespace {

using Numbers = std::vector<std::int64_t>;

// A part of an array: every step-th index of each axis.
struct Slice {
  std::int64_t offset = 0;
  Numbers strides;
};

class DisjointTest : public testing::Test {
 protected:
  std::int64_t number(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution(least, most)(random_);
  }

  // Of these extents at a random place of a row-major array, forwards or backwards.
  Slice slice(const Numbers& array, const Numbers& extents, bool backwards) {
    Slice slice;
    std::int64_t stride = 1;
    for (std::size_t axis = array.size(); axis-- > 0; stride *= array[axis]) {
      const std::int64_t gaps = std::max<std::int64_t>(extents[axis] - 1, 1);
      const std::int64_t step = number(1, (array[axis] - 1) / gaps);
      std::int64_t first = number(0, array[axis] - 1 - step * (extents[axis] - 1));
      slice.strides.insert(slice.strides.begin(), step * stride);
      if (backwards && number(0, 1) == 1) {
        first += step * (extents[axis] - 1);
        slice.strides.front() = -slice.strides.front();
      }
      slice.offset += first * stride;
    }
    return slice;
  }

  // The elements of a slice, the lowest first.
  static Numbers elements(const Slice& slice, const Numbers& extents) {
    Numbers found{slice.offset};
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
      const Numbers inner = found;
      for (std::int64_t i = 1; i < extents[axis]; ++i)
        for (const std::int64_t element : inner) found.push_back(element + i * slice.strides[axis]);
    }
    std::ranges::sort(found);
    return found;
  }

 private:
  std::mt19937_64 random_{GTEST_FLAG_GET(random_seed) + 1U};
};

TEST_F(DisjointTest, SlicesOfOneArrayMeetWhereTheyShareAnElement) {
  int disjoint = 0, meeting = 0;
  for (int round = 0; round < 3000; ++round) {
    const std::size_t rank = static_cast<std::size_t>(number(1, 4));
    Numbers array, extents;
    std::vector<int> axes;
    for (std::size_t axis = 0; axis < rank; ++axis) {
      array.push_back(number(2, 9));
      extents.push_back(number(1, array.back()));
      axes.push_back(static_cast<int>(axis));
    }
    const std::uint32_t bytes = std::vector<std::uint32_t>{1, 3, 4, 8, 24}[number(0, 4)];
    const Slice from = slice(array, extents, true), to = slice(array, extents, false);
    const Problem problem = permutation(extents, axes, from.strides, to.strides, bytes);
    const Problem normal = normal_form(problem);
    if (is_empty(normal)) continue;
    const Numbers read = elements(from, extents), written = elements(to, extents);
    Numbers both;
    std::ranges::set_intersection(read, written, std::back_inserter(both));
    EXPECT_EQ(may_meet(normal, (written.front() - read.front()) * bytes), !both.empty())
        << to_string(problem);
    ++(both.empty() ? disjoint : meeting);
  }
  EXPECT_GT(disjoint, 500);
  EXPECT_GT(meeting, 500);
}

// Elements of eight bytes at any byte.
TEST_F(DisjointTest, ElementsMeetWhereTheyShareAByte) {
  Problem problem = matrix(30, 50, 8);
  problem.in_ld = problem.out_ld = 80;
  problem = normal_form(problem);
  EXPECT_FALSE(may_meet(problem, 50 * 8));
  EXPECT_TRUE(may_meet(problem, 50 * 8 - 1));
  EXPECT_FALSE(may_meet(problem, -30 * 8));
  EXPECT_TRUE(may_meet(problem, -30 * 8 + 1));
  EXPECT_TRUE(may_meet(problem, 0));
}

// All strides are even: elements meet at a distance of two, and at none of one.
TEST_F(DisjointTest, TheSearchEndsAmongManyAxes) {
  Numbers extents(28, 2), strides(28), after(28);
  std::vector<int> axes(28);
  for (int axis = 0; axis < 28; ++axis) {
    axes[axis] = axis;
    strides[axis] = after[27 - axis] = std::int64_t{2} << axis;
  }
  const Problem problem = normal_form(permutation(extents, axes, strides, after, 8));
  EXPECT_FALSE(may_meet(problem, 8));
  EXPECT_TRUE(may_meet(problem, 16));
}

}  // namespace
}  // namespace xpose
