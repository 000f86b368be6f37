// Refusals in place, in the caller's words. Its permutations are transposed in tests of the
// façades.
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "xpose/problem.hpp"

namespace xpose {
namespace {

using Numbers = std::vector<std::int64_t>;

// Of an array of these strides with its axes in another order, and of the other strides after.
std::string refusal(const Numbers& shape, const std::vector<int>& axes, const Numbers& strides,
                    const Numbers& after, std::uint32_t bytes = 4) {
  Problem problem = permutation(shape, axes, strides, after, bytes);
  problem.in_place = true;
  try {
    check_in_place(problem, shape, axes, strides, after);
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::invalid);
    return error.what();
  }
}

std::string refusal(const Numbers& shape, const std::vector<int>& axes, const Numbers& strides,
                    std::uint32_t bytes = 4) {
  return refusal(shape, axes, strides, strides, bytes);
}

TEST(InPlaceTest, SquaresAndBatchesOfThemAreServed) {
  EXPECT_EQ(refusal({5, 5}, {1, 0}, {5, 1}), "");
  EXPECT_EQ(refusal({5, 5}, {1, 0}, {1, 8}), "");
  EXPECT_EQ(refusal({3, 5, 5}, {0, 2, 1}, {40, 8, 1}), "");
  EXPECT_EQ(refusal({4, 6, 4, 6}, {2, 3, 0, 1}, {144, 24, 6, 1}), "");
  EXPECT_EQ(refusal({5, 5}, {0, 1}, {10, 2}), "");
}

TEST(InPlaceTest, PixelsAreNamedByTheirAxis) {
  EXPECT_EQ(refusal({512, 512, 3}, {1, 0, 2}, {1536, 3, 1}, 1),
            "cannot permute an array of 512x512x3 elements of 1 byte by the axes 1,0,2 in place: "
            "axes 0 and 1 change places, and in place one of the two has the stride 1, but theirs "
            "are 1536 and 3 elements: axis 2 stays the innermost, of 3 bytes; use a separate "
            "output");
  EXPECT_TRUE(refusal({512, 512, 4}, {1, 0, 2}, {2048, 4, 1}, 1)
                  .ends_with("are 2048 and 4 elements: axis 2 stays the innermost, of 4 bytes; "
                             "state these as one element, or use a separate output"));
  EXPECT_TRUE(refusal({5, 5}, {1, 0}, {20, 2})
                  .ends_with("in place one of the two has the stride 1, but theirs are 20 and 2 "
                             "elements; use a separate output"));
}

// Issue: elements of these runs were advised, and refused again.
TEST(InPlaceTest, RunsWithGapsAreNoElements) {
  EXPECT_TRUE(
      refusal({4, 3, 4, 4}, {2, 1, 0, 3}, {96, 32, 8, 1})
          .ends_with("are 96 and 8 elements: axis 3 stays the innermost, of 16 bytes; use a "
                     "separate output"));
  EXPECT_EQ(refusal({4, 3, 4}, {2, 1, 0}, {24, 8, 2}, 16).find("state these"), std::string::npos);
  EXPECT_TRUE(
      refusal({4, 4, 4}, {1, 0, 2}, {18, 4, 1}).ends_with("of 16 bytes; use a separate output"));
  EXPECT_TRUE(refusal({4, 4, 4}, {1, 0, 2}, {20, 4, 1})
                  .ends_with("state these as one element, or use a separate output"));
  EXPECT_EQ(refusal({4, 4}, {1, 0}, {5, 1}, 16), "");  // as which it is served
}

TEST(InPlaceTest, AxesThatLieBackwardsAreNamed) {
  EXPECT_EQ(refusal({5, 5}, {1, 0}, {-5, 1}),
            "cannot permute an array of 5x5 elements of 4 bytes by the axes 1,0 in place: in place "
            "no axis lies backwards, and axis 0 does, with the stride -5; use a separate output");
  EXPECT_NE(refusal({3, 5, 5}, {0, 2, 1}, {-25, 5, 1}).find("axis 0 does, with the stride -25"),
            std::string::npos);
}

TEST(InPlaceTest, OtherReasonsAreOfTheCallersAxesToo) {
  EXPECT_NE(refusal({5, 5}, {1, 0}, {5, 1}, 12)
                .find("elements of 12 bytes by the axes 1,0 in "
                      "place: in place elements have 1, 2, 4"),
            std::string::npos);
  EXPECT_NE(refusal({5, 5, 5}, {2, 0, 1}, {25, 5, 1})
                .find("in place two axes change places, and here axes 0, 1 and 2 do"),
            std::string::npos);
  EXPECT_NE(
      refusal({5, 6}, {1, 0}, {6, 1}, {5, 1})
          .find("only a square is transposed in place, and axes 0 and 1, which change places, have "
                "the extents 5 and 6"),
      std::string::npos);
  EXPECT_NE(refusal({5, 5}, {1, 0}, {5, 1}, {6, 1}).find("have other strides after"),
            std::string::npos);
  EXPECT_NE(refusal({5}, {0}, {2}, Numbers{3}).find("axis 0 has two strides"), std::string::npos);
}

}  // namespace
}  // namespace xpose
