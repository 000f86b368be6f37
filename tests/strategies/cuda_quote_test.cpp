// The CUDA strategies' quotes are host code: they are exercised without a device.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

#include "conformance/conformance_problems.hpp"
#include "drawn_permutation.hpp"
#include "loaded_plugins.hpp"
#include "problem/normal_form.hpp"
#include "quotes_here.hpp"

namespace xpose {
namespace {

std::vector<const Strategy*> cuda_strategies() {
  std::vector<const Strategy*> found;
  for (const Strategy* strategy : loaded_plugins().strategies)
    if (strategy->info.device_kind == DeviceKind::cuda) found.push_back(strategy);
  return found;
}

TEST(CudaQuote, TheEightClassicStrategiesAndTheCopiesAreThere) {
  std::set<std::string> names;
  for (const Strategy* strategy : cuda_strategies()) names.insert(strategy->info.name);
  for (const char* name : {"naive_row", "naive_col", "unroll4_row", "unroll4_col", "smem",
                           "smem_pad", "smem_unroll2", "smem_unroll2_pad", "copy_row", "copy_col"})
    EXPECT_TRUE(names.contains(name)) << name;
}

TEST(CudaQuote, EveryConfigAnswersEveryProblem) {
  const DeviceInfo device = device_of(DeviceKind::cuda);
  for (const Strategy* strategy : cuda_strategies())
    for (const std::uint32_t bytes : {1U, 2U, 4U, 8U, 16U, 32U, 48U, 256U}) {
      std::size_t supported = 0;
      for (const Problem& problem : conformance_problems(bytes, device.device)) {
        const Problem normal = normal_form(problem);
        if (normal.element_bytes != bytes) continue;  // a run became one element
        for (auto& values : configs(strategy->info)) {
          const QuoteAnswer once = quote(*strategy, values, normal, device);
          EXPECT_EQ(quote(*strategy, values, normal, device), once);
          if (once.outcome.verdict != Verdict::ok) continue;
          ++supported;
          EXPECT_FALSE(once.launch.empty()) << strategy->info.name;
        }
      }
      const bool serves =
          serves_elements(strategy->info.element_sizes, bytes) ||
          (bytes > 16 && strategy->info.role == Role::copy);  // copies of their parts
      EXPECT_EQ(supported > 0, serves) << strategy->info.name << " with " << bytes << " bytes";
    }
}

// Of reversed arrays. Bytes do not, and small tiles of many matrices would be far from each other.
TEST(CudaQuote, MatricesBetweenEachOthersRowsGoTogether) {
  const DeviceInfo device = device_of(DeviceKind::cuda);
  const auto launch = [&](const std::string& name, const std::vector<std::int64_t>& shape,
                          std::uint32_t bytes) {
    const auto strategies = cuda_strategies();
    const Strategy& strategy = **std::ranges::find_if(
        strategies, [&](const Strategy* one) { return one->info.name == name; });
    const Problem problem = permutation(shape, std::array{2, 1, 0}, bytes, device.device);
    return quote(strategy, configs(strategy.info).front(), normal_form(problem), device).launch;
  };
  EXPECT_TRUE(launch("tile", {384, 59, 2320}, 4).ends_with(", 59 matrices together"));
  EXPECT_TRUE(launch("tile", {384, 1000, 256}, 2).ends_with(", 1000 matrices together"));
  EXPECT_TRUE(launch("unaligned", {383, 59, 2321}, 4).ends_with(", 59 matrices together"));
  EXPECT_EQ(launch("tile", {384, 59, 2320}, 1).find("together"), std::string::npos);
  EXPECT_EQ(launch("unaligned", {383, 59, 2321}, 2).find("together"), std::string::npos);
  EXPECT_EQ(launch("unaligned", {255, 1000, 257}, 4).find("together"), std::string::npos);
}

TEST(CudaQuote, SomethingServesEveryPermutationAtEveryAddress) {
  const std::uint64_t seed = number_from("XPOSE_SEED", std::random_device{}());
  const std::uint64_t problems = number_from("XPOSE_PROBLEMS", 3000);
  const DeviceInfo device = device_of(DeviceKind::cuda);
  Draw draw(seed);
  for (std::uint64_t i = 0; i < problems && !HasFailure(); ++i) {
    const Case made = draw.next();
    Problem problem =
        permutation(made.shape, made.axes, made.in_strides, made.out_strides, made.bytes);
    problem.device = device.device;
    problem = aligned_as(problem, made.in.data() + made.in_begin, made.out.data() + made.out_begin);
    const Problem normal = normal_form(problem);
    EXPECT_TRUE(std::ranges::any_of(
        cuda_strategies(),
        [&](const Strategy* strategy) {
          return strategy->info.role == Role::transpose &&
                 std::ranges::any_of(configs(strategy->info), [&](const Values& values) {
                   return quote(*strategy, values, normal, device).outcome.verdict == Verdict::ok;
                 });
        }))
        << "seed " << seed << ": nothing serves " << made.text();
  }
}

// Elements, or runs that could be elements, at addresses that only a part of them divides. Here no
// strategy of matrices may be called for each index of so many axes.
TEST(CudaQuote, ManyAxesAreServedAtEveryAddress) {
  const DeviceInfo device = device_of(DeviceKind::cuda);
  const std::vector<const Strategy*> strategies = cuda_strategies();
  const Strategy* const permute = *find_strategy(strategies, "permute");
  const std::vector<std::int64_t> shape(20, 2);
  std::vector<int> axes(shape.size());
  for (std::size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<int>(i * 7 % axes.size());
  for (const std::size_t kept : {0, 1, 2})
    for (const std::uint32_t bytes : {1U, 2U, 3U, 4U, 8U, 12U, 16U, 24U})
      for (const std::uint32_t alignment : {1U, 2U, 4U, 8U, 16U}) {
        std::vector<std::int64_t> runs = shape;
        std::vector<int> order = axes;
        for (std::size_t run = 0; run < kept; ++run) {
          order.push_back(static_cast<int>(runs.size()));
          runs.push_back(2);
        }
        Problem problem = permutation(runs, order, bytes, device.device);
        problem.in_alignment = problem.out_alignment = alignment;
        EXPECT_TRUE(std::ranges::any_of(
            configs(permute->info),
            [&](const Values& values) {
              return quote(*permute, values, normal_form(problem), device).outcome.verdict ==
                     Verdict::ok;
            }))
            << bytes << " bytes aligned to " << alignment << ", " << kept << " axes stay";
      }
}

TEST(CudaQuote, TheStudysBlockIsAmongTheConfigs) {
  const std::map<std::string, std::int64_t> study = {
      {"block_x", 32}, {"block_y", 16}, {"tile_y", 16}, {"pad", 2}};
  TuneOptions options;
  for (const Strategy* strategy : cuda_strategies()) {
    Variant& variant = options.variants.emplace_back(Variant{strategy->info.name});
    for (const auto& [axis, values] : strategy->info.axes)
      if (study.contains(axis)) variant.config.push_back({axis, study.at(axis)});
  }
  const Problem problem = normal_form(matrix(4096, 4096, 4, {DeviceKind::cuda, 0}));
  QuoterHere quoter(problem);
  const auto found =
      candidates(cuda_strategies(), problem, device_of(DeviceKind::cuda), options, quoter);
  for (const char* name : {"naive_row", "naive_col", "unroll4_row", "unroll4_col", "smem",
                           "smem_pad", "smem_unroll2", "smem_unroll2_pad"}) {
    const auto match = std::ranges::find_if(found, [&](const Candidate& candidate) {
      return candidate.variant.strategy == name && candidate.outcome.verdict == Verdict::ok;
    });
    ASSERT_NE(match, found.end()) << name;
    EXPECT_NE(match->launch.find("block 32x16"), std::string::npos) << match->launch;
  }
}

}  // namespace
}  // namespace xpose
