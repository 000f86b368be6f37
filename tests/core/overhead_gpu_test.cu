// What execute() adds to a launch on a device, printed.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <functional>
#include <utility>

#include "gpu_fixture.hpp"
#include "plugin/plugin_file.hpp"
#include "plugin/plugin_library.hpp"
#include "problem/normal_form.hpp"
#include "strategy/candidates.hpp"

namespace xpose {
namespace {

using OverheadGpu = StreamTest;

__global__ void move_one(const std::uint32_t* in, std::uint32_t* out, std::int64_t, std::int64_t) {
  *out = *in;
}

// Nanoseconds that the host spends on one call that enqueues, the median of 21 samples of 200.
double nanoseconds(const std::function<void()>& call) {
  std::array<double, 21> samples{};
  for (int warm_up = 0; warm_up < 200; ++warm_up) call();
  for (double& sample : samples) {
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 200; ++i) call();
    sample =
        std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count() /
        200;
  }
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  std::nth_element(samples.begin(), samples.begin() + 10, samples.end());
  return samples[10];
}

TEST_F(OverheadGpu, PrintsWhatExecuteAddsToALaunch) {
  Buffers one(1, 1);
  one.fill(7);
  const auto* in = static_cast<const std::uint32_t*>(one.in.data());
  auto* out = static_cast<std::uint32_t*>(one.out.data());
  const double raw = nanoseconds([&] { move_one<<<1, 1, 0, stream>>>(in, out, 1, 1); });

  PluginFile file = PluginFile::open(XPOSE_PLUGINS "/cuda_naive.so");
  const std::string digest = file.digest();
  const auto& strategies = load_plugin(std::move(file), digest).strategies;
  const auto naive = std::ranges::find_if(
      strategies, [](const Strategy& strategy) { return strategy.info.name == "naive_row"; });
  ASSERT_NE(naive, strategies.end());
  const xpose_problem abi =
      to_abi(normal_form(matrix(1, 1, 4, kDevice)), 0, backend(kDevice).info());
  const Values values = configs(naive->info).front();
  xpose_plan* plan = nullptr;
  char text[512];
  ASSERT_EQ(naive->functions->create(&abi, values.data(), &plan, {text, sizeof text}), XPOSE_OK);
  const double direct = nanoseconds([&] {
    const xpose_launch launch{sizeof(xpose_launch), 0, in, out, nullptr, stream, nullptr};
    naive->functions->launch(plan, &launch, {text, sizeof text});
  });
  naive->functions->destroy(plan);

  Engine engine(in_memory());
  const Plan made = engine.plan(matrix(1, 1, 4, kDevice), only("naive_row"));
  one.fill(8);
  const double executed = nanoseconds([&] { made.execute(in, out, stream); });
  EXPECT_TRUE(one.is_transposed());
  const double planned =
      nanoseconds([&] { engine.plan(matrix(1, 1, 4, kDevice), only("naive_row")); });
  PlanOptions measured;
  measured.tune.budget_seconds = 60;  // other processes that measure are waited for
  measured.tune.max_rounds = 1;
  engine.plan(matrix(64, 96, 4, kDevice), measured);
  const double known = nanoseconds([&] { engine.plan(matrix(64, 96, 4, kDevice), measured); });
  std::printf(
      "a kernel by <<<>>> %.0f ns, by the strategy %.0f ns, by execute() %.0f ns: %.0f ns more; "
      "plan() of a known problem %.2f us, estimated anew %.2f us\n",
      raw, direct, executed, executed - raw, known / 1000, planned / 1000);
}

}  // namespace
}  // namespace xpose
