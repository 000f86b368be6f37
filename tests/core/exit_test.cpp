// Engines and plans of objects that live until the process ends.
#include <cstdlib>
#include <iostream>
#include <memory>

#include "engine_fixture.hpp"

namespace xpose {
namespace {

constexpr std::int64_t kSide = 96;

// Short sides, squares, odd elements, kept runs, fat elements, and in place: together they take all
// strategies that have kernels for several processors.
std::vector<Problem> problems() {
  const std::int64_t shape[] = {8, 8, kSide, kSide};
  const int axes[] = {2, 1, 0, 3};
  std::vector<Problem> all = {matrix(3, kSide, 1), matrix(kSide, kSide, 1), matrix(kSide, kSide, 3),
                              permutation(shape, axes, 1), matrix(4, 4, 96)};
  for (Problem& problem : all) problem.in_alignment = problem.out_alignment = 1;
  Problem in_place = all[1];
  in_place.in_place = true;
  all.push_back(in_place);
  return all;
}

// Made before the engine loads its plugins, and so destroyed behind all that they have made.
struct Last {
  std::unique_ptr<Engine> engine;
  std::vector<Plan> plans;

  ~Last() {
    std::vector<std::uint8_t> in(8 * 8 * kSide * kSide, 1), out(in.size());
    for (const Plan& plan : plans) {
      void* const to = plan.problem().in_place ? in.data() : out.data();
      plan.execute(in.data(), to);
    }
    for (const Problem& problem : problems())
      engine->transpose(in.data(), problem.in_place ? in.data() : out.data(), problem, nullptr,
                        Policy::estimate);
    std::cerr << "moved at the end\n";
  }
};

[[noreturn]] void end_with_plans() {
  static Last last;
  last.engine = std::make_unique<Engine>(own_plugins());
  for (const Problem& problem : problems())
    last.plans.push_back(last.engine->plan(problem, {.policy = Policy::estimate}));
  std::exit(0);
}

TEST(ExitDeathTest, PlansAreMadeAndRunWhileTheProcessEnds) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a process of its own, without plugins yet
  EXPECT_EXIT(end_with_plans(), testing::ExitedWithCode(0), "moved at the end");
}

}  // namespace
}  // namespace xpose
