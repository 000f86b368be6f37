// The cards of every strategy. Values of axes multiply, so a strategy whose values need each other
// has one axis over its modes, or is two strategies.
#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "loaded_plugins.hpp"
#include "problem/normal_form.hpp"
#include "quotes_here.hpp"

namespace xpose {
namespace {

// Small and large, square, odd and skinny, of odd elements too, in batches and among other axes,
// aligned and not, in place and not.
std::vector<Problem> problems(Device device) {
  std::vector<Problem> all;
  for (const std::uint32_t bytes : {1U, 2U, 3U, 4U, 8U, 9U, 16U, 64U})
    for (const auto& [rows, cols] : std::vector<std::pair<std::int64_t, std::int64_t>>{
             {96, 96}, {512, 512}, {4096, 4096}, {900, 77}, {100'000, 5}, {5, 100'000}, {5, 5}}) {
      Problem problem = matrix(rows, cols, bytes, device);
      problem.batch = {{16, rows * cols, rows * cols}};
      all.push_back(problem);
      problem.in_alignment = problem.out_alignment = 256;
      all.push_back(problem);
      if (rows != cols || bytes == 3 || bytes == 9) continue;  // odd elements change buffers
      problem.in_place = true;
      all.push_back(problem);
    }
  const std::int64_t shape[] = {4, 3, 9, 50, 3, 60};
  all.push_back(permutation(shape, std::array{2, 0, 4, 1, 5, 3}, 4, device));
  const std::int64_t large[] = {40, 30, 50, 60, 16};  // and the innermost axis may stay
  all.push_back(permutation(large, std::array{2, 4, 0, 3, 1}, 4, device));
  all.push_back(permutation(large, std::array{2, 0, 3, 1, 4}, 4, device));
  const std::int64_t whole[] = {75, 75, 96, 96};  // in tiles that are larger than usual
  all.push_back(permutation(whole, std::array{1, 0, 3, 2}, 4, device));
  const std::int64_t odd[] = {41, 31, 51, 61, 15};  // and small elements form no squares
  all.push_back(permutation(odd, std::array{2, 4, 0, 3, 1}, 2, device));
  return all;
}

// The configs that are quoted for some of the problems, and those that this machine rules out.
std::set<Values> served(const Strategy& strategy) {
  const DeviceInfo device = device_of(strategy.info.device_kind);
  std::set<Values> all;
  for (const Problem& problem : problems(device.device)) {
    const Problem normal = normal_form(problem);
    for (const Values& values : configs(strategy.info)) {
      const Outcome outcome = quote(strategy, values, normal, device).outcome;
      if (outcome.verdict == Verdict::ok || outcome.detail.starts_with("this machine "))
        all.insert(values);
    }
  }
  return all;
}

// Axes of sizes may multiply to a few impossible ones, such as blocks of too many threads.
constexpr double kLeastShare = 0.8;
// Larger tiles of permute, which are squares along the output, have five more.
constexpr double kLeastShareOfPermute = 0.7;

TEST(Cards, NearlyEveryConfigServesSomeProblem) {
  ASSERT_FALSE(loaded_plugins().strategies.empty());
  for (const Strategy* strategy : loaded_plugins().strategies) {
    const std::size_t declared = configs(strategy->info).size();
    const double least = strategy->info.name == "permute" ? kLeastShareOfPermute : kLeastShare;
    EXPECT_GE(static_cast<double>(served(*strategy).size()), least * static_cast<double>(declared))
        << strategy->info.name << " declares " << declared << " configs";
  }
}

// What a refusal says is about the problem: no mode is refused on every one.
TEST(Cards, EveryModeOfHostSimdServesSomeProblem) {
  for (const Strategy* strategy : loaded_plugins().strategies)
    if (strategy->info.name == "host_simd") {
      ASSERT_EQ(strategy->info.axes.size(), 1U);
      EXPECT_EQ(served(*strategy).size(), configs(strategy->info).size());
    }
}

// As kit/cuda/cuda_card.hpp has it.
TEST(Cards, CudaStrategiesShareOneComputeCapabilityAndCanBeCaptured) {
  std::size_t seen = 0;
  for (const Strategy* strategy : loaded_plugins().strategies)
    if (strategy->info.device_kind == DeviceKind::cuda) {
      ++seen;
      EXPECT_EQ(strategy->info.min_compute_capability, 80U) << strategy->info.name;
      EXPECT_TRUE(strategy->info.capturable) << strategy->info.name;
    }
  EXPECT_GT(seen, 10U);
}

}  // namespace
}  // namespace xpose
