// The tiles of host_permute: each element belongs to one place of one tile, and runs are as long as
// the axes allow.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

#include "../../plugins/host_permute/tiling.hpp"

namespace {

using host_permute::Axis;
using host_permute::Piece;
using host_permute::Tiling;
using host_permute::Wish;

Tiling tiling_of(const std::vector<Axis>& axes, const Wish& wish) {
  return tiling(axes, cuts(axes, wish));
}

// A dense array whose axis i of the output is axis order[i] of the input, the innermost first.
std::vector<Axis> permuted(const std::vector<int64_t>& extents, const std::vector<int>& order) {
  std::vector<Axis> axes;
  int64_t stride = 1;
  for (const int64_t extent : extents) {
    axes.push_back({extent, stride, 0});
    stride *= extent;
  }
  stride = 1;
  for (const int axis : order) {
    axes[axis].out = stride;
    stride *= extents[axis];
  }
  return axes;
}

int64_t elements(const std::vector<Axis>& axes) {
  return std::accumulate(axes.begin(), axes.end(), int64_t{1},
                         [](int64_t n, const Axis& axis) { return n * axis.extent; });
}

// As many of a full tile's rows, columns or pieces as are left in its tile.
int64_t left(const Tiling& t, const std::vector<int64_t>& index, int step, int64_t full) {
  if (step < 0) return full;
  const host_permute::Step& cut = t.steps[step];
  return full / cut.tile * std::min(cut.tile, cut.axis.extent - index[step] * cut.tile);
}

constexpr int64_t kNowhere = -1'000'000'000;

// The input's element for each place of the output, from its lowest.
std::vector<int64_t> moved(const Tiling& t, int64_t out_low, int64_t out_span) {
  std::vector<int64_t> from(out_span, kNowhere);
  std::vector<int64_t> index(t.steps.size(), 0);
  for (int64_t tile = 0; tile < t.tiles(); ++tile) {
    int64_t in = 0, out = 0;
    for (size_t i = 0; i < index.size(); ++i) {
      in += index[i] * t.steps[i].tile * t.steps[i].axis.in;
      out += index[i] * t.steps[i].tile * t.steps[i].axis.out;
    }
    for (int64_t o = 0; o < left(t, index, t.outer_step, std::ssize(t.outer)); ++o)
      for (int64_t i = 0; i < left(t, index, t.inner_step, std::ssize(t.inner)); ++i)
        for (int64_t r = 0; r < left(t, index, t.rows_step, std::ssize(t.rows)); ++r)
          for (int64_t c = 0; c < left(t, index, t.cols_step, std::ssize(t.cols)); ++c) {
            const int64_t to = out + t.outer[o].out + t.inner[i].out + r + t.cols[c] - out_low;
            EXPECT_EQ(from.at(to), kNowhere) << "an element is written twice";
            from.at(to) = in + t.outer[o].in + t.inner[i].in + t.rows[r] + c;
          }
    for (size_t i = 0; i < index.size(); ++i) {
      if (++index[i] < t.steps[i].count()) break;
      index[i] = 0;
    }
  }
  return from;
}

std::vector<int64_t> expected(const std::vector<Axis>& axes, int64_t out_low, int64_t out_span) {
  std::vector<int64_t> from(out_span, kNowhere);
  for (int64_t element = 0; element < elements(axes); ++element) {
    int64_t rest = element, in = 0, out = 0;
    for (const Axis& axis : axes) {
      in += rest % axis.extent * axis.in;
      out += rest % axis.extent * axis.out;
      rest /= axis.extent;
    }
    from[out - out_low] = in;
  }
  return from;
}

template <class Draw>
std::vector<Axis> drawn(const Draw& draw, std::mt19937& random) {
  std::vector<int64_t> extents;
  for (int64_t n = 1; n < 4000 && extents.size() < 8; n *= extents.back())
    extents.push_back(draw(2, draw(0, 3) == 0 ? 60 : 7));
  std::vector<int> order(extents.size());
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  return permuted(extents, order);
}

TEST(PermuteTiling, EveryElementHasOnePlace) {
  std::mt19937 random(std::random_device{}());
  const auto draw = [&](int64_t from, int64_t to) {
    return std::uniform_int_distribution<int64_t>(from, to)(random);
  };
  for (int i = 0; i < 400; ++i) {
    std::vector<Axis> axes = drawn(draw, random);
    if (draw(0, 3) == 0) axes[draw(0, std::ssize(axes) - 1)].in = 0;  // repeated
    if (draw(0, 3) == 0)  // gaps between the elements of the outermost axis
      std::ranges::max_element(axes, {}, &Axis::out)->out += draw(1, 5);
    std::shuffle(axes.begin(), axes.end(), random);
    const Wish wish{.out_run = draw(1, 200), .in_run = draw(1, 200), .line = 1 << draw(0, 6)};
    if (Axis& axis = axes[draw(0, std::ssize(axes) - 1)]; draw(0, 3) == 0 && axis.out != 1)
      axis.out = -axis.out;  // written backwards
    int64_t low = 0, span = 1;
    for (const Axis& axis : axes) {
      span += (axis.extent - 1) * std::abs(axis.out);
      if (axis.out < 0) low += (axis.extent - 1) * axis.out;
    }
    ASSERT_EQ(moved(tiling_of(axes, wish), low, span), expected(axes, low, span));
  }
}

TEST(PermuteTiling, EqualCutsAndNoOthersMakeEqualTilings) {
  std::mt19937 random(std::random_device{}());
  const auto draw = [&](int64_t from, int64_t to) {
    return std::uniform_int_distribution<int64_t>(from, to)(random);
  };
  int equal = 0;
  for (int i = 0; i < 2000; ++i) {
    std::vector<Axis> axes = drawn(draw, random);
    if (draw(0, 3) == 0) axes[draw(0, std::ssize(axes) - 1)].in = 0;
    std::shuffle(axes.begin(), axes.end(), random);
    const int64_t line = 1 << draw(0, 4);
    const auto wish = [&] {
      return Wish{int64_t{2} << draw(0, 7), int64_t{2} << draw(0, 7), line};
    };
    const Wish one = wish();
    Wish other = wish();
    if (draw(0, 1) == 0) other.out_run = one.out_run;
    const bool are_equal = cuts(axes, one) == cuts(axes, other);
    ASSERT_EQ(are_equal, tiling_of(axes, one) == tiling_of(axes, other));
    equal += are_equal ? 1 : 0;
  }
  EXPECT_GT(equal, 50);
  EXPECT_LT(equal, 1500);
}

// Reversed axes of 15: a run of either side takes two of them whole and a part of the third.
TEST(PermuteTiling, RunsGoThroughSeveralAxes) {
  const std::vector<Axis> axes = permuted({15, 15, 15, 15, 15}, {4, 3, 2, 1, 0});
  const Tiling t = tiling_of(axes, {.out_run = 500, .in_run = 60, .line = 1});
  EXPECT_GE(t.run, 450);
  EXPECT_LE(t.run, 750);
  EXPECT_GE(t.read_run, 60);
  EXPECT_LE(t.read_run, 90);
}

// The axis that stays innermost is the columns of one row, however long it is.
TEST(PermuteTiling, AKeptAxisIsCopied) {
  const Tiling t =
      tiling_of(permuted({1000, 7, 9}, {0, 2, 1}), {.out_run = 64, .in_run = 64, .line = 16});
  EXPECT_TRUE(t.copies);
  EXPECT_EQ(t.rows, std::vector<int64_t>{0});
  EXPECT_EQ(std::ssize(t.cols), t.run);
  EXPECT_EQ(t.whole_cols, t.run);
  EXPECT_EQ(t.run, t.read_run);
}

// Axes of 2 and 3 elements beside long ones: squares of several vectors a side all the same.
TEST(PermuteTiling, BlocksGoThroughSeveralAxes) {
  const Tiling t = tiling_of(permuted({2, 3, 12, 2, 5, 3, 2, 40}, {4, 5, 6, 3, 7, 2, 1, 0}),
                             {.out_run = 120, .in_run = 64, .line = 1});
  EXPECT_GE(std::ssize(t.rows), 60);
  EXPECT_GE(std::ssize(t.cols), 64);
  EXPECT_EQ(t.whole_cols, 1);
  EXPECT_EQ(t.outer.size(), 1U);
}

// The input's innermost axis lies in the output's run, the next one does not.
TEST(PermuteTiling, ColumnsOfOneRunComeBeforeRunsOfTheirOwn) {
  const Tiling t =
      tiling_of(permuted({4, 32, 8, 100}, {2, 0, 3, 1}), {.out_run = 32, .in_run = 128, .line = 1});
  EXPECT_EQ(std::ssize(t.rows), 8);
  EXPECT_EQ(std::ssize(t.cols), 128);
  EXPECT_EQ(t.whole_cols, 4);
}

}  // namespace
