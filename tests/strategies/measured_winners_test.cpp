// What Policy::estimate chooses for problems of `xpose bench --random`, against what won there.
// Each test has a mechanism that its quotes count. Times in copies are in the plugins' NOTES.md.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "loaded_plugins.hpp"
#include "problem/normal_form.hpp"
#include "quotes_here.hpp"

namespace xpose {
namespace {

constexpr Device kCuda = {DeviceKind::cuda, 0};

std::string choice(Problem problem, std::uint32_t alignment) {
  problem.in_alignment = problem.out_alignment = alignment;
  const Problem normal = normal_form(problem);
  QuoterHere quoter(normal);
  for (const Candidate& candidate :
       candidates(loaded_plugins().strategies, normal, device_of(DeviceKind::cuda), {}, quoter))
    if (candidate.is_estimate) return to_string(candidate.variant);
  return "nothing";
}

Problem batch_of(std::int64_t count, std::int64_t rows, std::int64_t cols, std::uint32_t bytes) {
  Problem problem = matrix(rows, cols, bytes, kCuda);
  problem.batch = {{count, rows * cols, rows * cols}};
  return problem;
}

// Two leave too few loads in flight where each vector of a run is of two words.
TEST(MeasuredWinners, ManyVectorsAThreadOnTheWayBackFromUnalignedRuns) {
  EXPECT_EQ(choice(matrix(3, 3'244'884, 2, kCuda), 16), "skinny{threads=128,vectors=4}");
  EXPECT_EQ(choice(matrix(2, 2'583'719, 4, kCuda), 256), "skinny{threads=128,vectors=4}");
}

TEST(MeasuredWinners, ManyVectorsAThreadOfSmallElementsInABatch) {
  EXPECT_EQ(choice(batch_of(633'421, 3, 6, 2), 256), "batch{threads=128,vectors=4}");
  EXPECT_EQ(choice(batch_of(88'355, 12, 8, 2), 256), "batch{threads=128,vectors=4}");
}

}  // namespace
}  // namespace xpose
