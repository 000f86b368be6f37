// What the library adds to a launch, and what a choice costs that was made before. The figures are
// printed; what is verified is that both calls do their work.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <functional>
#include <variant>

#include "device/device.hpp"
#include "plugin/plugin_file.hpp"
#include "plugin/plugin_library.hpp"
#include "problem/normal_form.hpp"
#include "strategy/candidates.hpp"
#include "xpose/xpose.hpp"

namespace xpose {
namespace {

// Nanoseconds of one call, the median of 21 samples of `calls` calls.
double nanoseconds(int calls, const std::function<void(int)>& call) {
  std::array<double, 21> samples{};
  call(calls);
  for (double& sample : samples) {
    const auto begin = std::chrono::steady_clock::now();
    call(calls);
    sample =
        std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count() /
        calls;
  }
  std::ranges::nth_element(samples, samples.begin() + samples.size() / 2);
  return samples[samples.size() / 2];
}

// The simplest host strategy, as its plugin offers it.
const Strategy& host_naive_row() {
  PluginFile file = PluginFile::open(XPOSE_PLUGINS "/host_naive.so");
  const std::string digest = file.digest();
  for (const Strategy& strategy : load_plugin(std::move(file), digest).strategies)
    if (strategy.info.name == "host_naive_row") return strategy;
  throw Error(ErrorKind::failed, "host_naive.so offers no host_naive_row");
}

EngineOptions in_memory() {
  EngineOptions options;
  options.plugin_folders = {XPOSE_PLUGINS};
  options.threads = 1;
  options.worker = XPOSE_TRIAL_PROGRAM;
  options.remember = false;
  return options;
}

PlanOptions naive_row() {
  PlanOptions options;
  options.policy = Policy::estimate;
  options.tune.variants = {{"host_naive_row"}};
  return options;
}

TEST(Overhead, OfExecuteOverTheStrategysOwnLaunch) {
  const Problem problem = normal_form(matrix(1, 1, 4));
  const xpose_problem abi = to_abi(problem, 0, backend(Device{}).info());
  const Strategy& strategy = host_naive_row();
  const Values values = configs(strategy.info).front();
  xpose_plan* raw = nullptr;
  char text[512];
  ASSERT_EQ(strategy.functions->create(&abi, values.data(), &raw, {text, sizeof text}), XPOSE_OK);
  alignas(64) std::uint32_t in = 7;
  alignas(64) std::uint32_t out = 0;
  const double direct = nanoseconds(20000, [&](int calls) {
    for (int i = 0; i < calls; ++i) {
      const xpose_launch launch{sizeof(xpose_launch), 1, &in, &out, nullptr, nullptr, nullptr};
      strategy.functions->launch(raw, &launch, {text, sizeof text});
    }
  });
  strategy.functions->destroy(raw);
  EXPECT_EQ(out, 7U);

  Engine engine(in_memory());
  const Plan plan = engine.plan(matrix(1, 1, 4), naive_row());
  ASSERT_EQ(plan.variant().strategy, "host_naive_row");
  out = 0;
  const double executed = nanoseconds(20000, [&](int calls) {
    for (int i = 0; i < calls; ++i) plan.execute(&in, &out);
  });
  EXPECT_EQ(out, 7U);
  std::printf("execute() %.1f ns, the strategy's own launch %.1f ns: %.1f ns more\n", executed,
              direct, executed - direct);
}

TEST(Overhead, OfAPlanThatIsKnown) {
  Engine engine(in_memory());
  for (Problem problem : {matrix(33, 21, 4), [] {
                            Problem batched = matrix(33, 21, 4);
                            batched.in_ld = 24;
                            batched.batch = {{3, 1000, 1000}, {2, 5000, 5000}};
                            return batched;
                          }()}) {
    for (const Policy policy : {Policy::estimate, Policy::measure}) {
      PlanOptions options;
      options.policy = policy;
      options.tune.budget_seconds = 60;  // other processes that measure are waited for
      options.tune.max_rounds = 1;
      const Variant chosen = engine.plan(problem, options).variant();
      ASSERT_FALSE(chosen.strategy.empty());
      const double planned = nanoseconds(2000, [&](int calls) {
        for (int i = 0; i < calls; ++i)
          if (engine.plan(problem, options).variant() != chosen) ADD_FAILURE();
      });
      std::printf("plan() of %s, %s before: %.2f us\n", to_string(problem).c_str(),
                  policy == Policy::estimate ? "estimated" : "measured", planned / 1000);
    }
  }
}

}  // namespace
}  // namespace xpose
