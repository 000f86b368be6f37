// Permutations drawn at random, by every strategy of the host that accepts them, against a loop
// over the axes.
#include <gtest/gtest.h>

#include <map>

#include "drawn_permutation.hpp"
#include "loaded_plugins.hpp"
#include "problem/batch_loop.hpp"
#include "problem/normal_form.hpp"
#include "quotes_here.hpp"
#include "strategy/bound_plan.hpp"
#include "strategy/configs.hpp"

namespace xpose {
namespace {

// Runs one config of a strategy, drawn at random, or the next one that the strategy accepts.
bool serves(const Strategy& strategy, const Case& made, Draw& draw, unsigned threads,
            const DeviceInfo& device) {
  const std::byte* const in = made.in.data() + made.in_begin;
  std::vector<std::byte> out = made.out;
  // Buffers of equal alignment: the copy lies where its original does, modulo a page or not at all.
  Problem problem =
      permutation(made.shape, made.axes, made.in_strides, made.out_strides, made.bytes);
  problem = aligned_as(problem, in, out.data() + made.out_begin);
  const Layered parts = layered(problem);
  const Problem& normal = parts.layer;
  const std::vector<Values> all = configs(strategy.info);
  const auto drawn = static_cast<std::size_t>(draw.below(static_cast<std::int64_t>(all.size())));
  std::size_t next = 0;
  const auto values_now = [&]() -> const Values& { return all[(drawn + next) % all.size()]; };
  QuoteAnswer answer = quote(strategy, values_now(), normal, device);
  while (answer.outcome.verdict != Verdict::ok) {
    if (++next == all.size()) return false;
    answer = quote(strategy, values_now(), normal, device);
  }
  const std::uint64_t workspace_bytes = answer.workspace_bytes;
  const Candidate candidate = candidate_of(strategy, values_now(), std::move(answer));
  const DeviceMemory workspace({}, std::max<std::uint64_t>(workspace_bytes, 1));
  const BoundPlan plan(candidate, normal, device, threads);
  for_each_matrix(parts.steps, 1, in + parts.origin.in,
                  out.data() + made.out_begin + parts.origin.out, [&](const void* from, void* to) {
                    plan.launch(from, to, workspace_bytes == 0 ? nullptr : workspace.data(),
                                nullptr);
                  });
  EXPECT_TRUE(out == made.wanted) << to_string(candidate.variant) << ", " << made.text();
  return true;
}

// Half of them have a cache that nothing fits into.
DeviceInfo host_of_some_cache(Draw& draw) {
  DeviceInfo device = device_of(DeviceKind::host);
  if (draw.one_in(2)) device.cache_bytes = 1;
  return device;
}

// Of all strategies of the host that accept a problem.
class Serving {
 public:
  void serve(const Case& made, Draw& draw, unsigned threads, const DeviceInfo& device) {
    std::uint64_t here = 0;
    for (const Strategy* strategy : loaded_plugins().strategies)
      if (strategy->info.device_kind == DeviceKind::host &&
          strategy->info.role == Role::transpose &&
          serves(*strategy, made, draw, threads, device)) {
        ++served_[strategy->info.name];
        ++here;
      }
    EXPECT_GT(here, 0U) << "nothing serves " << made.text();
  }
  const std::map<std::string, std::uint64_t>& served() const { return served_; }

 private:
  std::map<std::string, std::uint64_t> served_;
};

// So large a part of the problems that are asked for, and at most so many.
template <class Serve>
void serve_drawn(std::uint64_t part, std::uint64_t most, const Serve& serve) {
  const std::uint64_t seed = number_from("XPOSE_SEED", std::random_device{}());
  const std::uint64_t problems = std::min(number_from("XPOSE_PROBLEMS", 3000) / part, most);
  Draw draw(seed);
  Serving serving;
  for (std::uint64_t i = 0; i < problems && !testing::Test::HasFailure(); ++i) serve(serving, draw);
  print_served(problems, seed, serving.served());
}

TEST(Permutations, OfAnyKindAreRightByEveryStrategyThatAcceptsThem) {
  serve_drawn(1, UINT64_MAX, [](Serving& serving, Draw& draw) {
    const Case made = draw.next();
    const auto threads = static_cast<unsigned>(1 + draw.below(3));
    serving.serve(made, draw, threads, host_of_some_cache(draw));
  });
}

// Large enough for several threads, of which there are up to 24.
TEST(Permutations, ThatManyThreadsShareOutAreRightByEveryStrategyThatAcceptsThem) {
  serve_drawn(75, 5000, [](Serving& serving, Draw& draw) {
    const Case made = draw.next_large();
    DeviceInfo device = host_of_some_cache(draw);
    device.multiprocessors = static_cast<std::uint32_t>(2 + draw.below(23));
    const auto threads = 1 + draw.below(device.multiprocessors);
    const bool has_all = draw.one_in(2);
    serving.serve(made, draw, has_all ? device.multiprocessors : static_cast<unsigned>(threads),
                  device);
  });
}

TEST(Permutations, OfPowersOfTwoBeyondTheCacheAreRightByEveryStrategyThatAcceptsThem) {
  serve_drawn(300, 5000, [](Serving& serving, Draw& draw) {
    const Case made = draw.next_of_powers_of_two();
    DeviceInfo device = device_of(DeviceKind::host);
    device.cache_bytes = 1;
    serving.serve(made, draw, static_cast<unsigned>(1 + draw.below(3)), device);
  });
}

}  // namespace
}  // namespace xpose
