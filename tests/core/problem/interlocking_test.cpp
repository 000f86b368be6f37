// Outputs whose axes interlock, against the list of all places.
#include "problem/interlocking.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "normal_form_fixture.hpp"
#include "problem/batch_loop.hpp"
#include "problem/dimensions.hpp"
#include "problem/disjoint.hpp"
#include "xpose/views.hpp"

namespace xpose {
namespace {

// Bytes from element 0 of the input and of the output.
using Places = std::vector<std::pair<std::int64_t, std::int64_t>>;

// An address far from both ends of all memory.
void* const kNowhere = reinterpret_cast<void*>(std::intptr_t{1} << 40);

std::int64_t bytes_to(const void* address) {
  return static_cast<const char*>(address) - static_cast<const char*>(kNowhere);
}

void add_places(const std::vector<BatchDim>& dims, std::uint32_t bytes, std::int64_t in,
                std::int64_t out, Places& places) {
  const auto add = [&](const void* from, void* to) {
    for (std::int64_t byte = 0; byte < bytes; ++byte)
      places.emplace_back(in + byte + bytes_to(from), out + byte + bytes_to(to));
  };
  for_each_matrix(dims, bytes, kNowhere, kNowhere, add);
}

Places places_of(const Problem& problem) {
  Places places;
  add_places(dimensions(problem), problem.element_bytes, 0, 0, places);
  std::ranges::sort(places);
  return places;
}

Places places_of(const Layered& parts) {
  Places places;
  for_each_matrix(parts.steps, 1, kNowhere, kNowhere, [&](const void* from, void* to) {
    add_places(dimensions(parts.layer), parts.layer.element_bytes, parts.origin.in + bytes_to(from),
               parts.origin.out + bytes_to(to), places);
  });
  std::ranges::sort(places);
  return places;
}

bool has_twice(const Places& places) {
  std::vector<std::int64_t> written;
  for (const auto& [from, to] : places) written.push_back(to);
  std::ranges::sort(written);
  return std::ranges::adjacent_find(written) != written.end();
}

class Interlocking : public testing::Test {
 protected:
  std::int64_t number(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution(least, most)(random_);
  }

  // Of up to four axes, most of which interlock or overlap.
  Problem drawn() {
    std::vector<std::int64_t> shape, in, out;
    std::vector<int> axes;
    for (int axis = 0; axis < static_cast<int>(number(1, 4)); ++axis) {
      axes.push_back(axis);
      shape.push_back(number(1, 5));
      in.push_back(number(-30, 30));
      out.push_back(number(1, 40) * (number(0, 3) == 0 ? -1 : 1));
    }
    const std::uint32_t sizes[] = {1, 3, 4, 24};
    return permutation(shape, axes, in, out, sizes[number(0, 3)]);
  }

 private:
  std::mt19937_64 random_{GTEST_FLAG_GET(random_seed) + 1U};
};

TEST_F(Interlocking, LayersWriteEachElementOnceAndOverlapIsRefused) {
  int whole = 0, several = 0, refused = 0;
  for (int round = 0; round < 5000; ++round) {
    const Problem problem = drawn();
    const Places places = places_of(problem);
    ASSERT_EQ(output_overlaps(problem), has_twice(places)) << to_string(problem);
    if (has_twice(places)) {
      expect_refused(problem, "output elements overlap");
      ++refused;
      continue;
    }
    const Layered parts = layered(problem);
    ASSERT_EQ(places_of(parts), places) << to_string(problem);
    ++(parts.steps.empty() ? whole : several);
  }
  EXPECT_GT(whole, 500);
  EXPECT_GT(several, 500);
  EXPECT_GT(refused, 500);
}

// Whatever is left steps over all smaller axes, and the longest are.
TEST_F(Interlocking, TheLongestAxesStay) {
  Problem problem = matrix(1, 1, 4);
  problem.batch = {{3, 1, 100}, {100, 3, 3}};  // 300 elements in 498
  const Layered parts = layered(problem);
  ASSERT_EQ(parts.steps.size(), 1U);
  EXPECT_EQ(parts.steps[0], (BatchDim{3, 4, 400}));
  EXPECT_EQ(element_count(parts.layer), 100);
}

TEST_F(Interlocking, LayersKeepTheAlignmentOfAllOfThem) {
  Problem problem = matrix(1, 1, 4);
  problem.in_alignment = problem.out_alignment = 256;
  problem.batch = {{3, 1, 100}, {100, 3, 3}};
  const Problem layer = normal_form(problem);
  EXPECT_EQ(layer.in_alignment, 4U);
  EXPECT_EQ(layer.out_alignment, 16U);
}

// Squares in place whose batch dimensions interlock.
TEST_F(Interlocking, SquaresInPlaceHaveLayers) {
  Problem problem = square_in_place(2, 2);
  problem.batch = {{2, 12, 12}, {3, 8, 8}};
  EXPECT_FALSE(layered(problem).steps.empty());
  EXPECT_TRUE(layered(problem).layer.in_place);
  problem.batch = {{2, 12, 12}, {3, 6, 6}};
  expect_refused(problem, "output elements overlap");
}

// Differences of 24 axes: 3^24, of which few are far from 0.
TEST_F(Interlocking, ALongSearchIsGivenUpAndSaysSo) {
  Problem problem = matrix(1, 1, 4);
  for (int axis = 0; axis < 24; ++axis)
    problem.batch.push_back({2, 1, (std::int64_t{1} << 45) + number(0, std::int64_t{1} << 44)});
  EXPECT_EQ(output_overlap(dimensions(problem)), Overlap::unknown);
  EXPECT_FALSE(output_overlaps(problem));
  expect_refused(problem, "output elements may overlap, in more ways than are searched");
}

}  // namespace
}  // namespace xpose
