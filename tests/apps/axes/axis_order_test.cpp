// Orders of axes as a command line states them, by number and by name.
#include "axes/axis_order.hpp"

#include <gtest/gtest.h>

namespace xpose::app {
namespace {

using Shape = std::vector<std::int64_t>;
using Axes = std::vector<int>;

std::string error_of(const auto& call) {
  try {
    call();
  } catch (const AxisError& error) {
    return error.what();
  }
  return "none";
}

PermutedShape by_pattern(std::string_view text, const Shape& shape, std::string_view sizes = {}) {
  AxisPattern pattern = parse_axis_pattern(text);
  if (!sizes.empty()) pattern.sizes = parse_axis_sizes(sizes);
  return permuted(pattern, shape);
}

std::string pattern_error(std::string_view text) {
  return error_of([&] { parse_axis_pattern(text); });
}

std::string fit_error(std::string_view text, const Shape& shape, std::string_view sizes = {}) {
  return error_of([&] { by_pattern(text, shape, sizes); });
}

TEST(Axes, OutputAxisIIsInputAxisAxesOfI) {
  const PermutedShape made = permuted(AxisOrder{.axes = parse_axes("2,0,1")}, Shape{32, 16, 64});
  EXPECT_EQ(made.shape, (Shape{32, 16, 64}));
  EXPECT_EQ(made.axes, (Axes{2, 0, 1}));
  EXPECT_EQ(made.out_shape, (Shape{64, 32, 16}));
  EXPECT_EQ(made.parts, (std::vector<std::size_t>{1, 1, 1}));
}

TEST(Axes, AreReversedWhereNoneAreGiven) {
  EXPECT_EQ(permuted(AxisOrder{}, Shape{2, 3, 4}).axes, (Axes{2, 1, 0}));
  EXPECT_EQ(permuted(AxisOrder{}, Shape{2, 3, 4}).out_shape, (Shape{4, 3, 2}));
  EXPECT_EQ(permuted(AxisOrder{}, Shape{}).axes, Axes{});
}

TEST(Axes, NegativeOnesCountFromTheLast) {
  EXPECT_EQ(permuted(AxisOrder{.axes = parse_axes("-1,0,-2")}, Shape{2, 3, 4}).axes,
            (Axes{2, 0, 1}));
}

TEST(Axes, ThatCannotBeReadAreShownWithTheirPlace) {
  EXPECT_EQ(error_of([] { parse_axes("0,x,1"); }),
            "--axes '0,x,1' is not a list of axes, such as 0,2,1, at character 3");
  for (const char* text : {"0,", ",0", "0 1", "0,,1", "1.5", "99999999999", "0;1", "-"})
    EXPECT_NE(error_of([&] { parse_axes(text); }), "none") << text;
}

TEST(Axes, AreEachNamedOnce) {
  for (const char* text : {"0,1", "0,1,2,3", ""})
    EXPECT_NE(error_of([&] {
                permuted(AxisOrder{.axes = parse_axes(text)}, Shape{2, 3, 4});
              }),
              "none")
        << text;
  EXPECT_EQ(error_of([] {
              permuted(AxisOrder{.axes = parse_axes("1,0")}, Shape{2, 3, 4});
            }),
            "--axes 1,0: the array is 3-D (2x3x4): name each of its axes, 0 to 2, once");
}

TEST(Axes, ThatNoArrayHasAreRefusedWithoutOne) {
  for (const char* text : {"0,0", "-1,-1", "0,2", "0,1,-4"})
    EXPECT_NE(error_of([&] { parse_axes(text); }), "none") << text;
  EXPECT_EQ(error_of([] { parse_axes("0,-3,1"); }),
            "--axes 0,-3,1 is no order of 3 axes: name each of 0 to 2 once");
  EXPECT_EQ(error_of([] { parse_axes("1"); }), "--axes 1 is no order of 1 axis: name axis 0");
}

TEST(AxisPattern, PermutesByNames) {
  const PermutedShape made = by_pattern("b h w c -> b c h w", {2, 5, 7, 3});
  EXPECT_EQ(made.shape, (Shape{2, 5, 7, 3}));
  EXPECT_EQ(made.axes, (Axes{0, 3, 1, 2}));
  EXPECT_EQ(made.out_shape, (Shape{2, 3, 5, 7}));
}

TEST(AxisPattern, SplitsByGivenSizesAndByTheOneThatIsLeft) {
  const PermutedShape made =
      by_pattern("b (h p) (w q) c -> b h w p q c", {8, 32, 48, 3}, "p=16,q=16");
  EXPECT_EQ(made.shape, (Shape{8, 2, 16, 3, 16, 3}));
  EXPECT_EQ(made.parts, (std::vector<std::size_t>{1, 2, 2, 1}));
  EXPECT_EQ(made.axes, (Axes{0, 1, 3, 2, 4, 5}));
  EXPECT_EQ(made.out_shape, (Shape{8, 2, 3, 16, 16, 3}));
  EXPECT_EQ(by_pattern("(a b c) -> c b a", {30}, "a=2,b=3,c=5").out_shape, (Shape{5, 3, 2}));
  EXPECT_EQ(by_pattern("(a b) -> b a", {0}, "b=4").out_shape, (Shape{4, 0}));
}

TEST(AxisPattern, MergesInTheOrderOfTheNames) {
  const PermutedShape made = by_pattern("b h w c->(c  b)(w h)", {2, 5, 7, 3});
  EXPECT_EQ(made.axes, (Axes{3, 0, 2, 1}));
  EXPECT_EQ(made.out_shape, (Shape{6, 35}));
}

TEST(AxisPattern, AnEllipsisTakesAnyNumberOfAxes) {
  EXPECT_EQ(by_pattern("... c -> c ...", {2, 5, 7, 3}).out_shape, (Shape{3, 2, 5, 7}));
  EXPECT_EQ(by_pattern("... c -> c ...", {3}).out_shape, (Shape{3}));
  EXPECT_EQ(by_pattern("a ... -> (...) a", {2, 5, 7}).out_shape, (Shape{35, 2}));
  EXPECT_EQ(by_pattern("a ... -> (...) a", {2}).out_shape, (Shape{1, 2}));
  EXPECT_EQ(by_pattern("a (b c) ... d -> d (c ... a) b", {2, 6, 5, 7, 3}, "b=2").axes,
            (Axes{5, 2, 3, 4, 0, 1}));
}

TEST(AxisPattern, OneIsAUnitAxis) {
  const PermutedShape made = by_pattern("a 1 b -> b () a 1", {2, 1, 3});
  EXPECT_EQ(made.out_shape, (Shape{3, 1, 2, 1}));
  EXPECT_EQ(made.shape, (Shape{2, 3}));
  EXPECT_EQ(made.parts, (std::vector<std::size_t>{1, 0, 1}));
  EXPECT_EQ(fit_error("a 1 -> a", {2, 5}),
            "--pattern 'a 1 -> a': axis 1 of 5 elements is '1', which has 1");
}

TEST(AxisPattern, ThatCannotBeReadIsShownWithItsPlace) {
  const std::pair<const char*, const char*> cases[] = {
      {"a b", "it has no '->': write the axes of the input, '->', and those of the output"},
      {"a -> b -> a", "it has a second '->' at character 8"},
      {"a * -> a", "'*' at character 3 is no axis: write names of letters and digits"},
      {"a 2b -> a", "'2b' at character 3 is no axis"},
      {"a -> a 16", "'16' at character 8 is no axis"},
      {"a .. -> a", "'.' at character 3 is no axis"},
      {"(a b -> a b", "'(' at character 1 has no ')' behind it"},
      {"a b) -> a b", "')' at character 4 has no '(' before it"},
      {"((a b) c) -> a b c", "'(' at character 2 stands inside parentheses, which do not nest"},
      {"a b a -> a b", "'a' at character 5 stands twice on the left"},
      {"a b -> a (b b)", "'b' at character 13 stands twice on the right"},
      {"a b -> a", "'b' stands on the left alone: an axis is named once on either side"},
      {"a -> a b", "'b' stands on the right alone"},
      {"a ... -> a", "'...' stands on the left alone"},
      {"... a ... -> a ...", "'...' at character 7 stands twice on the left"},
      {"(a ...) -> a ...", "'...' at character 4 stands inside parentheses on the left"}};
  for (const auto& [text, words] : cases) {
    EXPECT_EQ(pattern_error(text).find(std::string("--pattern '") + text + "': " + words), 0U)
        << pattern_error(text);
  }
}

TEST(AxisPattern, IsShownWithItsOwnCharacters) {
  EXPECT_EQ(pattern_error("a b → b a").find("--pattern 'a b → b a': it has no '->'"), 0U);
  EXPECT_EQ(pattern_error("a\tb -> b a").find("--pattern 'a\\tb -> b a': '\\t' at character 2 is"),
            0U);
  EXPECT_EQ(pattern_error("é → -> a").find("--pattern 'é → -> a': 'é' at character 1 is"), 0U);
  EXPECT_EQ(pattern_error("a -> a → b").find("--pattern 'a -> a → b': '→' at character 8 is"), 0U);
  EXPECT_EQ(pattern_error("a \x1b[31m").find("--pattern 'a \\x1b[31m': "), 0U);
}

TEST(AxisPattern, ThatDoesNotFitIsShownWithTheArray) {
  EXPECT_EQ(fit_error("a b -> b a", {2, 3, 4}),
            "--pattern 'a b -> b a': it has 2 axes on the left, but the array is 3-D (2x3x4)");
  EXPECT_EQ(fit_error("a b ... -> b a ...", {2}),
            "--pattern 'a b ... -> b a ...': it has at least 2 axes on the left, but the array is "
            "1-D (2)");
  EXPECT_EQ(fit_error("(h p) -> p h", {30}, "p=16"),
            "--pattern '(h p) -> p h': axis 0 of 30 elements is '(h p)', which is no multiple of "
            "16");
  EXPECT_EQ(fit_error("(h p) -> p h", {30}, "p=16,h=2"),
            "--pattern '(h p) -> p h': axis 0 of 30 elements is '(h p)', which has 32");
  EXPECT_NE(fit_error("a b -> b a", {2, 3}, "a=3").find("axis 0 of 2 elements is 'a', which has 3"),
            std::string::npos);
  EXPECT_NE(fit_error("a b c -> (a b) c", {std::int64_t{1} << 40, std::int64_t{1} << 40, 0})
                .find("'(a b)' has more than 2^63 - 1 elements"),
            std::string::npos);
}

TEST(AxisPattern, WhoseSizesFitNoShapeIsRefusedWithoutOne) {
  const auto sizes_error = [](std::string_view text, std::string_view sizes) {
    AxisPattern pattern = parse_axis_pattern(text);
    if (!sizes.empty()) pattern.sizes = parse_axis_sizes(sizes);
    return error_of([&] { check_sizes(pattern); });
  };
  EXPECT_EQ(sizes_error("(h p) -> p h", ""),
            "--pattern '(h p) -> p h': the sizes in '(h p)' are open: give all but one in --sizes, "
            "such as --sizes p=16");
  EXPECT_EQ(sizes_error("(h p) -> p h", "p=0"),
            "--pattern '(h p) -> p h': a size of 0 in '(h p)' leaves that of 'h' open");
  EXPECT_EQ(sizes_error("a b -> b a", "c=2"),
            "--pattern 'a b -> b a': --sizes gives 'c', which is no axis of it");
  EXPECT_EQ(sizes_error("(a b) -> a b", "a=9223372036854775807,b=2"),
            "--pattern '(a b) -> a b': the sizes in '(a b)' have a product that does not fit in 63 "
            "bits");
  EXPECT_EQ(sizes_error("(h p) ... -> p h ...", "p=16"), "none");
}

TEST(AxisSizes, AreNamesWithNumbers) {
  EXPECT_EQ(parse_axis_sizes("p=16,q2=0"), (AxisSizes{{"p", 16}, {"q2", 0}}));
  for (const char* text : {"", "p", "p=", "=3", "p=-1", "p=3,", "p=3 ", "2=3", "p=x", "p=3,p=4",
                           "p=9223372036854775808", ",p=3", "p==3"})
    EXPECT_NE(error_of([&] { parse_axis_sizes(text); }), "none") << text;
  EXPECT_EQ(error_of([] { parse_axis_sizes("p=3,q"); }),
            "--sizes 'p=3,q': 'q' is not NAME=SIZE, such as p=16,q=16");
}

}  // namespace
}  // namespace xpose::app
